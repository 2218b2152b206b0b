"use strict";

const game = JSON.parse(document.getElementById("game").textContent);
const last = game.positions.length - 1;
const INTERVAL = 1100; // milliseconds from move to move at speed 1
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const VERDICTS = {
  winnable: { mark: "✓", text: "can still be won" },
  unwinnable: { mark: "✗", text: "lost" },
  unknown: { mark: "?", text: "not decided" },
};
const byId = (id) => document.getElementById(id);
const board = byId("board");
const still = matchMedia("(prefers-reduced-motion: reduce)");

let step = 0; // moves played so far
let timer = null; // of the next move while playing
let landing = null; // timer of the end of a flight

function element(name, classes, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function suitPicture(suit, classes) {
  const picture = drawn("svg", { class: `suit ${classes}`, "aria-hidden": "true" });
  picture.append(drawn("use", { href: `#suit-${suit}` }));
  return picture;
}

function rankText(rank) {
  return rank === "T" ? "10" : rank;
}

function cardName(card) {
  const [rank, suit] = game.cards[card];
  return `${RANKS[rank] ?? rank} of ${SUITS[suit]}`;
}

// The table: every card is one element, which moves from place to place.

const cards = game.cards.map(([rank, suit], id) => {
  const card = element("div", `card ${suit}`);
  card.dataset.card = id;
  const corner = element("span", "corner");
  corner.append(element("span", "rank", rankText(rank)), suitPicture(suit, "small"));
  card.append(corner, suitPicture(suit, "large"));
  board.append(card);
  return card;
});

function marks(count, classes) {
  return Array.from({ length: count }, () => {
    const mark = element("div", classes);
    board.prepend(mark);
    return mark;
  });
}

const columnSlots = marks(game.columns, "slot");
const reserveSlots = marks(game.reserve, "slot");
const completedSlots = marks(game.sequences, "slot completed");
const numbers = marks(game.columns, "number");
numbers.forEach((number, column) => (number.textContent = column + 1));

// Where a card lies in a position: its pile, its index in it, and whether it is face-down.
function placesOf(position) {
  const places = new Map();
  position.columns.forEach((pile, column) =>
    pile.forEach((card, index) =>
      places.set(card, { pile: `column-${column}`, index, down: index < position.down[column] }),
    ),
  );
  position.reserve.forEach((card, slot) => {
    if (card !== null) places.set(card, { pile: `reserve-${slot}`, index: 0, down: game.reserve_down });
  });
  position.removed.forEach((pile, slot) =>
    pile.forEach((card, index) =>
      places.set(card, { pile: `completed-${slot}`, index: pile.length - index, down: false }),
    ),
  );
  return places;
}

function sizes() {
  const [width, height] = [board.clientWidth, board.clientHeight];
  const pitch = Math.min(width / game.columns, height / 4.9);
  const w = pitch * 0.93;
  const h = w * 1.4;
  const slots = game.reserve + game.sequences;
  const room = pitch * (game.columns - 1);
  const labels = Math.max(12, Math.min(18, w * 0.3));
  return {
    pitch, w, h, labels,
    left: (width - pitch * game.columns + pitch - w) / 2,
    slotPitch: slots > 1 ? Math.min(pitch, room / (slots - 1)) : pitch,
    slotsLeft: pitch * (game.columns - 1),
    top: (slots ? h + 0.1 * w : 0) + labels,
    height,
  };
}

function at(mark, x, y) {
  mark.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
}

// Where a column's cards begin, closer together where they would not fit, and how large their
// corners may be to be seen.
function columnPlan(count, down, size) {
  const steps = Array.from({ length: count }, (_, i) => size.h * (i < down ? 0.11 : 0.27));
  const needed = steps.slice(0, -1).reduce((sum, one) => sum + one, 0);
  const scale = Math.min(1, (size.height - size.top - size.h - 2) / needed || 1);
  let y = size.top;
  const tops = steps.map((one) => {
    const here = y;
    y += one * scale;
    return here;
  });
  return { tops, corner: Math.min(0.34 * size.w, 0.25 * size.h * scale) };
}

function pileLeft(pile, size) {
  const [kind, number] = pile.split("-");
  if (kind === "column") return size.left + size.pitch * number;
  if (kind === "reserve") return size.left + size.slotPitch * number;
  return size.left + size.slotsLeft - size.slotPitch * (game.sequences - 1 - number);
}

function drawSlots(size) {
  board.style.setProperty("--w", `${size.w}px`);
  columnSlots.forEach((slot, i) => at(slot, pileLeft(`column-${i}`, size), size.top));
  numbers.forEach((mark, i) => at(mark, pileLeft(`column-${i}`, size), size.top - size.labels));
  reserveSlots.forEach((slot, i) => at(slot, pileLeft(`reserve-${i}`, size), 0));
  completedSlots.forEach((slot, i) => at(slot, pileLeft(`completed-${i}`, size), 0));
}

function drawCards(shown) {
  const size = sizes();
  const position = game.positions[step];
  const places = placesOf(position);
  const before = step > 0 ? placesOf(game.positions[step - 1]) : places;
  drawSlots(size);
  const plans = position.columns.map((pile, i) => columnPlan(pile.length, position.down[i], size));
  cards.forEach((card, id) => {
    const { pile, index, down } = places.get(id);
    const [kind, number] = pile.split("-");
    const flies = shown !== undefined && shown.get(id).pile !== pile;
    card.dataset.pile = pile;
    card.dataset.index = index;
    card.classList.toggle("down", down);
    card.classList.toggle("moved", before.get(id).pile !== pile);
    card.style.zIndex = flies ? 500 + index : index;
    const plan = kind === "column" ? plans[number] : null;
    card.style.setProperty("--corner", `${plan?.corner ?? 0.34 * size.w}px`);
    at(card, pileLeft(pile, size), plan?.tops[index] ?? 0);
  });
  clearTimeout(landing);
  landing = setTimeout(() => cards.forEach((card) => (card.style.zIndex = card.dataset.index)), 400);
}

function writeColumns() {
  const { columns, down } = game.positions[step];
  const revealed = byId("reveal").checked;
  byId("board-words").replaceChildren(
    ...columns.map((pile, column) => {
      const names = pile.map((card, i) => {
        if (i >= down[column]) return cardName(card);
        return revealed ? `face-down ${cardName(card)}` : "face-down card";
      });
      return element("li", "", names.join(", ") || "empty");
    }),
  );
}

// The list of moves, each with what the player thought before it.

function moveLabel(text) {
  const label = element("span", "label");
  const parts = /^(\w)([CDHS])(\d*)>(\d+)$/.exec(text);
  if (!parts) {
    label.textContent = text;
    return label;
  }
  const [, rank, suit, deck, column] = parts;
  const card = element("span", `name ${suit}`, rankText(rank));
  card.append(suitPicture(suit, "inline"));
  label.append(card);
  if (deck) label.append(element("sub", "", deck));
  label.append(` → ${column}`);
  return label;
}

function choiceBar({ text, share, played }) {
  const row = element("li", played ? "played" : "");
  const bar = element("span", "bar");
  const filled = element("span");
  filled.style.width = `${100 * share}%`;
  bar.append(filled);
  const percent = 100 * share;
  const value = percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
  row.append(moveLabel(text), bar, element("span", "share", value));
  return row;
}

function verdictMark(number) {
  const { mark, text } = VERDICTS[game.verdicts[number]];
  const made = element("span", `verdict ${game.verdicts[number]}`, mark);
  made.title = text;
  return made;
}

const START = { text: "start", said: "The game is dealt.", points: 0, choices: [] };

function moveRow(number) {
  const row = element("li");
  const button = element("button", "move");
  button.type = "button";
  button.addEventListener("click", () => stopAndGo(number));
  const move = number > 0 ? game.moves[number - 1] : START;
  button.append(element("span", "count", number || ""), moveLabel(move.text));
  button.append(element("span", "points", move.points ? signed(move.points) : ""));
  let name = number > 0 ? `Move ${number}: ${move.said}` : move.said;
  if (game.verdicts) {
    button.append(verdictMark(number));
    name += ` ${VERDICTS[game.verdicts[number]].text}`;
  }
  button.setAttribute("aria-label", name);
  row.append(button);
  if (move.choices.length) {
    const list = element("ul", "choices");
    list.setAttribute("aria-label", `Choices before move ${number}`);
    list.append(...move.choices.map(choiceBar));
    row.append(list);
  }
  return row;
}

function signed(points) {
  return points < 0 ? `−${-points}` : `+${points}`;
}

const moves = byId("moves");
const rows = game.positions.map((_, number) => moveRow(number));
moves.append(...rows);

function markRow() {
  rows.forEach((row, number) => row.classList.toggle("current", number === step));
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  rows[step].firstChild.setAttribute("aria-current", "step");
  if (moves.scrollHeight > moves.clientHeight) {
    const middle = rows[step].offsetTop - (moves.clientHeight - rows[step].offsetHeight) / 2;
    moves.scrollTo({ top: middle, behavior: still.matches ? "auto" : "smooth" });
  }
}

// The score curve over the slider, with the verdicts below it.

const curve = byId("curve");
const LOW = 0.72; // of its height, the line of score 0
const highest = Math.max(1, ...game.scores);

function curveHeight(score) {
  return LOW - (LOW - 0.06) * (score / highest);
}

function drawCurve() {
  const length = Math.max(1, last);
  curve.setAttribute("viewBox", `0 0 ${length} 1`);
  curve.setAttribute("aria-label", `Score: from ${game.scores[0]} to ${game.scores[last]}`);
  byId("highest").textContent = highest;
  const line = game.scores.map((score, i) => `${i ? `H${i}V` : "M0,"}${curveHeight(score)}`).join("");
  curve.append(drawn("path", { class: "area", d: `${line}V${LOW}H0Z` }));
  curve.append(drawn("path", { class: "line", d: line }));
  (game.verdicts ?? []).forEach((verdict, i) => {
    const [from, to] = [Math.max(0, i - 0.5), Math.min(length, i + 0.5)];
    const strip = { class: verdict, x: from, y: 0.84, width: to - from, height: 0.16 };
    curve.append(drawn("rect", strip));
  });
  curve.append(drawn("path", { class: "now" }));
}

// Going from move to move.

function writeWords() {
  const { said } = game.moves[step - 1] ?? START;
  byId("where").textContent = step === 0 ? `Deal, ${last} moves` : `Move ${step} of ${last}`;
  byId("score").textContent = `Score ${game.scores[step]}`;
  byId("said").textContent = step === last ? `${said} ${game.ending}` : said;
  if (game.verdicts) {
    const { mark, text } = VERDICTS[game.verdicts[step]];
    byId("verdict").className = `verdict ${game.verdicts[step]}`;
    byId("verdict").textContent = `${mark} ${text}`;
  }
}

function goTo(target) {
  const shown = placesOf(game.positions[step]);
  step = Math.max(0, Math.min(last, target));
  drawCards(shown);
  writeColumns();
  writeWords();
  markRow();
  byId("slider").value = step;
  byId("slider").setAttribute("aria-valuetext", `after ${step} of ${last} moves`);
  curve.lastChild.setAttribute("d", `M${step},0V1`);
  for (const id of ["first", "back"]) byId(id).setAttribute("aria-disabled", step === 0);
  for (const id of ["next", "last"]) byId(id).setAttribute("aria-disabled", step === last);
}

function setPlaying(on) {
  clearTimeout(timer);
  timer = on ? setTimeout(playOn, INTERVAL / byId("speed").value) : null;
  byId("play-icon").setAttribute("href", on ? "#icon-pause" : "#icon-play");
  byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
}

function playOn() {
  goTo(step + 1);
  setPlaying(step < last);
}

function togglePlay() {
  if (timer === null && step === last) goTo(0);
  setPlaying(timer === null && last > 0);
}

function stopAndGo(target) {
  setPlaying(false);
  goTo(target);
}

function setSpeed() {
  const flight = Math.min(350, (0.5 * INTERVAL) / byId("speed").value);
  board.style.setProperty("--flight", `${flight}ms`);
  if (timer !== null) setPlaying(true);
}

const KEYS = {
  ArrowLeft: () => stopAndGo(step - 1),
  ArrowRight: () => stopAndGo(step + 1),
  Home: () => stopAndGo(0),
  End: () => stopAndGo(last),
  " ": togglePlay,
};

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  if (event.target.matches("select")) return;
  if (event.key === " " && event.target.matches("button, input[type=checkbox]")) return;
  event.preventDefault();
  KEYS[event.key]();
}

function begin() {
  byId("player").textContent = game.player;
  byId("about").textContent = game.about;
  byId("legend").textContent = game.legend;
  byId("slider").max = last;
  byId("verdict").hidden = !game.verdicts;
  const hasChoices = game.moves.some((move) => move.choices.length);
  document.querySelector("main").classList.toggle("plain", !hasChoices);
  drawCurve();
  setSpeed();
  goTo(0);
  byId("first").addEventListener("click", KEYS.Home);
  byId("back").addEventListener("click", KEYS.ArrowLeft);
  byId("play").addEventListener("click", togglePlay);
  byId("next").addEventListener("click", KEYS.ArrowRight);
  byId("last").addEventListener("click", KEYS.End);
  byId("slider").addEventListener("input", () => stopAndGo(Number(byId("slider").value)));
  byId("speed").addEventListener("change", setSpeed);
  byId("reveal").addEventListener("change", () => {
    board.classList.toggle("revealed", byId("reveal").checked);
    writeColumns();
  });
  document.addEventListener("keydown", onKey);
  new ResizeObserver(() => drawCards()).observe(board);
}

begin();
