// What stands around the table: moves, score curve, controls.

const INTERVAL = 1100; // milliseconds from move to move at speed 1
const VERDICTS = {
  winnable: { mark: "✓", text: "can still be won" },
  unwinnable: { mark: "✗", text: "lost" },
  unknown: { mark: "?", text: "not decided" },
};
const still = matchMedia("(prefers-reduced-motion: reduce)");

let timer = null; // of the next move while playing

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
    drawCards();
    writeColumns();
  });
  document.addEventListener("keydown", onKey);
  new ResizeObserver(() => drawCards()).observe(board);
}

begin();
