// The analysis board: one game, position by position, with what a policy and a search think of every choice.
// Its data is in the page (a file of its own), or comes from the server whose address says which game.

import { marked, nameOf, shape, withoutQuestion } from "./picture.js";

const COLOURS = ["#9c2f2a", "#2b5876", "#47703f", "#6f4f96", "#8a5a10"];
const MISTAKE = 0.08, BLUNDER = 0.16, SHOWN = 0.005, DRAWN = 0.04;
const NOBODY = 2; // a share that no choice has: there is no policy
const MARKS = { figure: "figure", dwarf: "figure", hex: "hex", card: "card", area: "area", direction: "direction", dragon: "dragon", wind: "wind", side: "side" };
const GRAPH = { width: 440, height: 150, left: 40, right: 8, top: 10, bottom: 10 };
const TABLE = "table-"; // before the name of a seat at a game under way

const byId = (id) => document.getElementById(id);
const percent = (share) => `${Math.round(100 * share)}%`;
const nice = (seat) => (seat === "all" ? "everybody: all hands open" : seat.replace(/_/g, " ").replace(/ 0$/, (end) => (seat.startsWith("player") ? end : "")));
const state = { study: null, name: "", number: 0, view: "all" };

function element(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

async function ask(path, body, type = "application/json") {
  const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": type }, body }).catch(() => { throw new Error("The server does not answer. Is it still running?"); });
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw new Error(content.error || answer.statusText);
  return content;
}

function complain(error, place = "error") {
  byId(place).textContent = error.message;
  byId(place).hidden = false;
}

// ---- what may be seen

const count = () => state.study.deciders.length;
const decider = (number) => state.study.seats[state.study.deciders[number]];
const visible = (number) => state.view === "all" || decider(number) === state.view;
const decision = (number) => (visible(number) ? state.study.decisions[number] : {});
const shownSeats = () => Object.keys(state.study.chances).filter((seat) => state.view === "all" || seat === state.view);
const colour = (seat) => COLOURS[state.study.seats.indexOf(seat)];
const mark = (loss = 0) => (loss >= BLUNDER ? "??" : loss >= MISTAKE ? "?" : "");
const lost = (number) => decision(number).loss || 0;

// ---- drawing

const drawing = (line) => state.study.lines[line].map((part) => state.study.elements[part]).join("");

function show(number) {
  state.number = Math.max(0, Math.min(count() - 1, number));
  const view = state.study.views[state.view];
  byId("board").innerHTML = view.pictures[state.number].map(drawing).join("\n");
  withoutQuestion(byId("board").querySelector("svg"));
  namePlaces(byId("board").querySelector("svg"));
  byId("where").textContent = `${state.number + 1} of ${count()}`;
  byId("question").textContent = view.questions[state.number];
  byId("back").disabled = byId("first").disabled = state.number === 0;
  byId("on").disabled = byId("last").disabled = state.number === count() - 1;
  drawChances();
  drawGraph();
  drawChoices();
  drawOverlay();
  drawLinks();
  markCurrent();
  if (byId("setup").open) fillPosition();
}

function namePlaces(picture) { // as the moves call them; figures stand in front of the names
  for (const [mark, name] of Object.entries(state.study.places)) {
    const [place] = marked(picture, mark);
    place?.after(nameOf(place, name));
  }
}

function drawChances() {
  byId("chances").replaceChildren(...shownSeats().map((seat) => {
    const chance = state.study.chances[seat][state.number];
    const filled = element("i");
    filled.style.cssText = `width:${100 * chance}%;background:${colour(seat)}`;
    const meter = element("div", { className: "meter" }, filled);
    meter.setAttribute("aria-hidden", "true");
    return element("div", { className: "chance" }, element("b", {}, nice(seat)), meter, element("span", {}, percent(chance)));
  }));
  if (shownSeats().length > 1) byId("chances").append(element("p", { className: "quiet" }, "Winning chances, each by what that seat knows"));
}

const across = (number) => GRAPH.left + (number * (GRAPH.width - GRAPH.left - GRAPH.right)) / Math.max(1, count() - 1);
const up = (chance) => GRAPH.top + (1 - chance) * (GRAPH.height - GRAPH.top - GRAPH.bottom);
const curve = (points) => points.map(([number, chance]) => `${across(number).toFixed(1)},${up(chance).toFixed(1)}`).join(" ");

function drawGraph() {
  const seats = shownSeats();
  if (!seats.length || count() < 2) return byId("graph").replaceChildren();
  const parts = [0, 0.5, 1].flatMap((chance) => [
    shape("line", { x1: GRAPH.left, x2: GRAPH.width - GRAPH.right, y1: up(chance), y2: up(chance), stroke: "#cbbfa8" }),
    shape("text", { x: GRAPH.left - 6, y: up(chance) + 4, "text-anchor": "end", "font-size": 12, fill: "#5d5347" }, percent(chance)),
  ]);
  for (const seat of seats) {
    const network = state.study.chances[seat].map((chance, number) => [number, chance]);
    parts.push(shape("polyline", { class: "network", points: curve(network), fill: "none", stroke: colour(seat), "stroke-width": 2 }));
    const searched = network.flatMap(([number]) => (decider(number) === seat && "search_chance" in decision(number) ? [[number, decision(number).search_chance]] : []));
    parts.push(shape("polyline", { class: "searched", points: curve(searched), fill: "none", stroke: colour(seat), "stroke-width": 1.2, "stroke-dasharray": "3 3" }));
  }
  for (let number = 0; number < count(); number += 1) {
    if (!mark(lost(number)) || !(decider(number) in state.study.chances)) continue;
    const at = { cx: across(number), cy: up(state.study.chances[decider(number)][number]), r: 4.5 };
    parts.push(shape("circle", { ...at, class: "mistake", fill: mark(lost(number)) === "??" ? "#7a0c0c" : "#d4682f", stroke: "#fff" }));
  }
  parts.push(shape("line", { class: "cursor", x1: across(state.number), x2: across(state.number), y1: GRAPH.top, y2: GRAPH.height - GRAPH.bottom, stroke: "#2a241d", "stroke-width": 1.5 }));
  const words = seats.map((seat) => `${nice(seat)} ${percent(state.study.chances[seat][state.number])}`).join(", ");
  const drawn = shape("svg", { viewBox: `0 0 ${GRAPH.width} ${GRAPH.height}`, role: "img", "aria-label": `Winning chances over the game; here: ${words}` }, ...parts);
  drawn.onclick = (event) => {
    const box = drawn.getBoundingClientRect(), x = ((event.clientX - box.x) * GRAPH.width) / box.width;
    show(Math.round(((x - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right)) * (count() - 1)));
  };
  const legend = `Line: ${state.study.judges[0]}; dashes: ${state.study.judges[1]}`;
  byId("graph").replaceChildren(drawn, element("p", { className: "quiet" }, legend));
}

const sharesOf = (judge, number) => decision(number)[judge] || [];

function ranked(number) { // the legal actions, best first
  const { legal = [] } = decision(number), policy = sharesOf("policy", number), search = sharesOf("search", number);
  const rows = legal.map((action, i) => ({ action, words: decision(number).words[i], policy: policy[i], search: search[i] }));
  return rows.sort((a, b) => (b.search ?? b.policy ?? 0) - (a.search ?? a.policy ?? 0));
}

function drawChoices() {
  const { number } = state, here = decision(number), rows = ranked(number);
  const worth = rows.filter((row) => row.action === here.chosen || (row.policy ?? 1) >= SHOWN || (row.search ?? 0) >= SHOWN);
  byId("choices").hidden = !rows.length;
  byId("policy-name").textContent = state.study.judges[0];
  byId("search-name").textContent = state.study.judges[1];
  byId("decided").replaceChildren(...sentence(number));
  const likeliest = Math.max(...rows.map((row) => row.policy ?? NOBODY));
  const lines = worth.map((row, i) => choice(row, here.chosen, i === 0, row.policy === likeliest));
  if (worth.length < rows.length) lines.push(element("tr", {}, element("td", { colSpan: 3 }, `and ${rows.length - worth.length} that nobody would choose`)));
  byId("choices").tBodies[0].replaceChildren(...lines);
  byId("recorded").textContent = recordedWords(here);
}

function sentence(number) {
  const move = state.study.views[state.view].moves[number];
  if (move === undefined) return [state.study.ending ? `The end: ${state.study.ending}` : `${nice(decider(number))} decides`];
  const loss = lost(number), sign = mark(loss);
  const words = [`${nice(decider(number))} ${move} `];
  return sign ? [...words, element("span", { className: `mark${sign === "??" ? " worst" : ""}` }, `${sign} lost ${percent(loss)}`)] : words;
}

function choice(row, chosen, best, likeliest) {
  const name = element("th", { scope: "row" }, `${best ? "★ " : ""}${likeliest ? "☆ " : ""}${row.words}${row.action === chosen ? " ✓" : ""}`);
  if (likeliest) name.prepend(element("span", { className: "unseen" }, "the policy's first: "));
  if (best) name.prepend(element("span", { className: "unseen" }, "best: "));
  if (row.action === chosen) name.append(element("span", { className: "unseen" }, " (was chosen)"));
  const line = element("tr", { className: row.action === chosen ? "chosen" : "" }, name, bar("policy", row.policy), bar("search", row.search));
  line.dataset.action = row.action;
  line.dataset.best = best;
  line.dataset.likeliest = likeliest;
  return line;
}

function bar(judge, share) {
  if (share === undefined) return element("td", {}, "…");
  const filled = element("i");
  filled.style.width = `calc((100% - 2.8rem) * ${share})`;
  return element("td", {}, element("div", { className: `share ${judge}` }, filled, percent(share)));
}

function recordedWords(here) {
  const words = [];
  if (here.recorded) {
    const best = Math.max(...here.recorded);
    words.push(`its player gave ${percent(best)} to “${here.words[here.recorded.indexOf(best)]}”`);
  }
  if (here.recorded_chance !== undefined) words.push(`it saw a winning chance of ${percent(here.recorded_chance)}`);
  return words.length ? `Recorded: ${words.join("; ")}.` : "";
}

// ---- what they would do, on the board

function drawOverlay() {
  const judge = byId("shown").value, picture = byId("board").querySelector("svg");
  if (!judge || !picture) return;
  const { legal = [] } = decision(state.number), shares = sharesOf(judge, state.number), targets = new Map();
  legal.forEach((action, i) => {
    const target = targetOf(picture, state.study.actions[action]);
    if (!target || !(shares[i] > 0)) return;
    const known = targets.get(target.key) || { ...target, share: 0 };
    known.share += shares[i];
    targets.set(target.key, known);
  });
  const tint = judge === "policy" ? "#2b5876" : "#b0431f";
  const drawn = [...targets.values()].filter(({ share }) => share >= DRAWN).map((target) => overlay(picture, target, tint));
  picture.append(shape("g", { class: "overlay", "pointer-events": "none" }, ...drawn));
}

function targetOf(picture, action) { // where an action shows: an arrow from a figure to a hex, or a ring around a part
  const parts = Object.entries(action).filter(([key]) => key in MARKS)
    .map(([key, value]) => [key, picture.querySelector(`[data-${MARKS[key]}="${CSS.escape(String(value))}"]`), String(value)])
    .filter(([, found]) => found);
  if (!parts.length) return null;
  const end = parts.find(([key]) => key === "hex") || parts[0], start = parts.find(([key]) => key === "figure");
  return { key: `${start?.[2]} ${end[0]} ${end[2]}`, start: start && end !== start ? start[1] : null, end: end[1] };
}

function place(picture, part) { // in the picture's own units
  const whole = picture.getBoundingClientRect(), box = part.getBoundingClientRect(), scale = picture.viewBox.baseVal.width / whole.width;
  return { x: (box.x - whole.x) * scale, y: (box.y - whole.y) * scale + picture.viewBox.baseVal.y, width: box.width * scale, height: box.height * scale };
}

const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

function overlay(picture, { start, end, share }, tint) {
  const box = place(picture, end), [x, y] = middle(box), paint = { stroke: tint, opacity: 0.35 + 0.6 * share };
  const label = shape("text", { x, y: y + 5, "text-anchor": "middle", "font-size": 15, "font-weight": "bold", fill: tint, stroke: "#fff", "stroke-width": 3, "paint-order": "stroke" }, percent(share));
  if (!start) {
    const wide = Math.min(2 + 5 * share, box.height / 8), ring = shape("rect", { ...box, rx: 10, fill: "none", "stroke-width": wide, ...paint });
    label.setAttribute("y", box.y < 16 ? box.y + 14 : box.y - 3);
    return shape("g", {}, ring, label);
  }
  const [fromX, fromY] = middle(place(picture, start)), length = Math.hypot(x - fromX, y - fromY) || 1, wide = 3 + 9 * share;
  const [stepX, stepY] = [(x - fromX) / length, (y - fromY) / length], tip = length - 14;
  const at = (along, aside) => `${fromX + stepX * along - stepY * aside},${fromY + stepY * along + stepX * aside}`;
  const shaft = shape("polyline", { points: `${at(26, 0)} ${at(tip - 12, 0)}`, "stroke-width": wide, ...paint });
  const head = shape("polygon", { points: [at(tip, 0), at(tip - 16, wide + 5), at(tip - 16, -wide - 5)].join(" "), fill: tint, opacity: paint.opacity });
  label.setAttribute("y", y + 6); // below it is the name of the place
  return shape("g", {}, shaft, head, label);
}

// ---- the list of moves

function drawMoves() {
  const moves = state.study.views[state.view].moves;
  const lines = state.study.deciders.map((_, number) => {
    const words = moves[number] ?? (state.study.ending ? `end: ${state.study.ending}` : "to decide");
    const dot = element("span", { className: "dot" });
    if (decider(number)) dot.style.background = colour(decider(number));
    const who = decider(number) && moves[number] !== undefined ? element("span", { className: "unseen" }, `${nice(decider(number))} `) : "";
    const button = element("button", { type: "button", tabIndex: -1, onclick: () => show(number) },
      element("span", { className: "number" }, String(number + 1)), dot, element("span", { className: "words" }, who, words), element("span", { className: "mark" }));
    return element("li", {}, button);
  });
  byId("moves").replaceChildren(...lines);
  drawMarks();
}

function drawMarks() {
  [...byId("moves").querySelectorAll(".mark")].forEach((place, number) => {
    const sign = mark(lost(number));
    place.className = `mark${sign === "??" ? " worst" : ""}`;
    place.replaceChildren(...(sign ? [sign, element("span", { className: "unseen" }, ` lost ${percent(lost(number))}`)] : []));
  });
  byId("worse").disabled = !state.study.deciders.some((_, number) => mark(lost(number)));
}

function markCurrent() {
  const buttons = byId("moves").querySelectorAll("button"), current = buttons[state.number];
  const focused = byId("moves").contains(document.activeElement);
  for (const button of byId("moves").querySelectorAll("[aria-current]")) {
    button.removeAttribute("aria-current");
    button.tabIndex = -1;
  }
  current.setAttribute("aria-current", "step");
  current.tabIndex = 0;
  if (focused) current.focus();
  const list = byId("moves"), top = current.offsetTop;
  if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 2;
}

function nextMistake() {
  const bad = state.study.deciders.map((_, number) => number).filter((number) => mark(lost(number)));
  if (bad.length) show(bad.find((number) => number > state.number) ?? bad[0]);
}

// ---- what a server is needed for

function drawLinks() {
  const links = [];
  if (state.name) {
    const here = `/api/analysis/${state.name}`;
    if (!state.study.practice && decider(state.number)) links.push(element("button", { id: "play-on", type: "button", onclick: playOn }, "Play on from here"));
    if (state.study.file) links.push(element("a", { id: "download", href: `${here}/replay`, download: "game.jsonl" }, "Download the replay"));
  } else if (state.study.replay) {
    links.push(element("a", { id: "download", href: URL.createObjectURL(new Blob([state.study.replay])), download: "game.jsonl" }, "Download the replay"));
  }
  byId("links").replaceChildren(...links.flatMap((link) => [link, " "]));
}

function playOn() { // the page sets up a table after so many decisions of this game
  location.assign(`/#on-${state.name}-${state.number}`);
}

async function fillPosition() {
  const { number } = state;
  try {
    const { position } = await ask(`/api/analysis/${state.name}/position/${number}`);
    const field = byId("by-hand");
    if (number !== state.number || field.value !== (state.filled ?? "")) return; // what somebody typed stays
    field.value = JSON.stringify(position, null, 1).replace(/\[\n\s+(-?\d+),\n\s+(-?\d+)\n\s+\]/g, "[$1, $2]");
    state.filled = field.value;
  } catch (error) { complain(error, "wrong"); }
}

function parsed(text) {
  let position;
  try { position = JSON.parse(text); } catch (error) { throw new Error(`A bracket, a comma or a quotation mark is missing or too much: ${error.message}`); }
  if (position?.constructor !== Object) throw new Error("A position begins with { and ends with }.");
  return position;
}

async function setUp() {
  byId("wrong").hidden = true;
  try {
    const position = parsed(byId("by-hand").value);
    const { study } = await ask("/api/analysis/position", JSON.stringify({ study: state.name, position }));
    location.assign(`/analysis/${study}`);
  } catch (error) { complain(error, "wrong"); }
}

async function bring(file) {
  byId("error").hidden = true;
  try {
    const { study } = await ask("/api/analysis", await file.text(), "application/jsonl");
    location.assign(`/analysis/${study}`);
  } catch (error) { complain(error); }
}

async function searchAll() { // the position that is looked at first, then the game from its beginning
  const missing = () => state.study.deciders.map((_, number) => number)
    .filter((number) => state.study.decisions[number].legal && !("search" in state.study.decisions[number]));
  for (let left = missing(); left.length; left = missing()) {
    const number = left.includes(state.number) ? state.number : left[0];
    Object.assign(state.study.decisions[number], await ask(`/api/analysis/${state.name}/search/${number}`));
    drawMarks();
    if (number === state.number) show(number); else drawGraph();
  }
}

// ---- beginning

function begin(study, name) {
  Object.assign(state, { study, name, number: 0, view: Object.keys(study.views)[0] });
  document.title = `Analysis: ${study.game}`;
  byId("title").textContent = study.game.replace(/_v0$/, "").replace(/_/g, " ");
  byId("players").textContent = study.seats.map((seat, i) => `${nice(seat)}: ${study.players[i]}`).join(" · ");
  byId("view").replaceChildren(...Object.keys(study.views).map((view) => element("option", { value: view }, nice(view))));
  byId("nav").hidden = !name;
  byId("setup").hidden = !name || study.practice;
  byId("practice").hidden = !study.practice;
  byId("to-game").hidden = !name.startsWith(TABLE);
  byId("to-game").href = `/#${name.slice(TABLE.length)}`;
  byId("study").hidden = false;
  drawMoves();
  const first = name.startsWith(TABLE) ? count() - 1 : 0; // a game under way: where it stands
  show(Math.min(count() - 1, Number(location.hash.slice(1)) || first));
}

byId("first").onclick = () => show(0);
byId("back").onclick = () => show(state.number - 1);
byId("on").onclick = () => show(state.number + 1);
byId("last").onclick = () => show(count() - 1);
byId("worse").onclick = nextMistake;
byId("view").onchange = (event) => { state.view = event.target.value; drawMoves(); show(state.number); };
byId("shown").onchange = () => show(state.number);
byId("setup").ontoggle = () => { if (byId("setup").open) fillPosition(); };
byId("load").onclick = setUp;
byId("file").onchange = (event) => { if (event.target.files[0]) bring(event.target.files[0]); };
document.addEventListener("keydown", (event) => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9 };
  const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input, textarea");
  const scrolls = !["ArrowLeft", "ArrowRight"].includes(event.key) && !byId("moves").contains(event.target);
  if (!state.study || elsewhere || scrolls || !(event.key in steps)) return;
  event.preventDefault();
  show(state.number + steps[event.key]);
});

const own = byId("data"), name = decodeURIComponent(location.pathname.split("/")[2] || "");
if (own) begin(JSON.parse(own.textContent), "");
else if (name) ask(`/api/analysis/${encodeURIComponent(name)}`).then((study) => { begin(study, name); return searchAll(); }).catch(complain);
else byId("open").hidden = byId("nav").hidden = false;
