// The table of the replay page: the cards as they lie after `step` moves.
"use strict";

const game = JSON.parse(document.getElementById("game").textContent);
const last = game.positions.length - 1;
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const byId = (id) => document.getElementById(id);
const board = byId("board");

let step = 0; // moves played so far

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
  const pitch = Math.min(width / game.columns, height / 5.3);
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

function largeCorner(size) {
  return 0.34 * size.w;
}

function at(mark, x, y) {
  mark.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
}

// Where a column's cards begin, closer together where they would not fit, and how large the corner
// of a covered card may be to be seen.
function columnPlan(count, down, size) {
  const hidden = byId("reveal").checked ? 0 : down;
  const steps = Array.from({ length: count }, (_, i) => size.h * (i < hidden ? 0.11 : 0.27));
  const needed = steps.slice(0, -1).reduce((sum, one) => sum + one, 0);
  const scale = Math.min(1, (size.height - size.top - size.h - 2) / needed || 1);
  let y = size.top;
  const tops = steps.map((one) => {
    const here = y;
    y += one * scale;
    return here;
  });
  return { tops, corner: Math.min(largeCorner(size), 0.25 * size.h * scale) };
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

// The lowest place in each pile that a card comes to: from there up the pile lies above the others.
function arrivals(places, shown) {
  const lowest = {};
  places.forEach(({ pile, index }, card) => {
    if (shown.get(card).pile !== pile) lowest[pile] = Math.min(index, lowest[pile] ?? index);
  });
  return lowest;
}

function drawCards(shown) {
  const size = sizes();
  const position = game.positions[step];
  const places = placesOf(position);
  const before = step > 0 ? placesOf(game.positions[step - 1]) : places;
  const lowest = arrivals(places, shown ?? places);
  drawSlots(size);
  const plans = position.columns.map((pile, i) => columnPlan(pile.length, position.down[i], size));
  cards.forEach((card, id) => {
    const { pile, index, down } = places.get(id);
    const [kind, number] = pile.split("-");
    card.dataset.pile = pile;
    card.dataset.index = index;
    card.classList.toggle("down", down);
    card.classList.toggle("moved", before.get(id).pile !== pile);
    card.style.zIndex = index >= lowest[pile] ? 500 + index : index;
    const { tops, corner } = kind === "column" ? plans[number] : { tops: [] };
    const isCovered = index < tops.length - 1;
    card.style.setProperty("--corner", `${isCovered ? corner : largeCorner(size)}px`);
    at(card, pileLeft(pile, size), tops[index] ?? 0);
  });
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
