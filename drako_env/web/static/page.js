"use strict";
// The page knows no game: the picture's elements carry data-hex, data-card, ...; an action fits an element if its
// dictionary has the same value there. A click narrows the actions down until one is left.

const PAUSE = Number(new URLSearchParams(location.search).get("pause") ?? 700); // milliseconds between the machine's moves
const NAMES = { dwarf: "figure" }; // keys of actions that the picture calls otherwise
const byId = (id) => document.getElementById(id);
const state = { session: null, shown: null, picked: {}, busy: false, ready: null, timer: null };

async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) });
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(content.error || answer.statusText), { status: answer.status });
  return content;
}

function complain(error) {
  byId("error").textContent = error.message;
  byId("error").hidden = false;
  setTimeout(() => { byId("error").hidden = true; }, 6000);
}

function element(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

// ---- choosing a game

async function setUp() {
  const { games, person } = await ask("/api/games");
  const words = { [person]: "You (or a friend beside you)" };
  byId("game").replaceChildren(...Object.entries(games).map(([name, game]) => element("option", { value: name }, game.title)));
  const redraw = () => {
    byId("seats").replaceChildren();
    const game = games[byId("game").value];
    drawOptions(game);
    drawSeats(game, [person, ...game.opponents], words);
  };
  byId("game").onchange = redraw;
  byId("options").onchange = () => {
    const game = games[byId("game").value];
    drawSeats(game, [person, ...game.opponents], words);
  };
  byId("form").onsubmit = (event) => { event.preventDefault(); start(); };
  redraw();
  show("setup");
}

function drawOptions(game) {
  const tables = ["table", game.tables];
  const rows = [tables, ...Object.entries(game.options)].map(([name, values]) => element("label", {}, name.replaceAll("_", " "),
    element("select", { name, className: "option" }, ...values.map((v) => element("option", { value: JSON.stringify(v) }, String(v))))));
  byId("options").replaceChildren(...rows);
}

function chosenOptions() {
  return Object.fromEntries([...document.querySelectorAll("select.option")].filter((s) => s.selectedIndex > 0)
    .map((s) => [s.name, JSON.parse(s.value)]));
}

function drawSeats(game, players, words) { // whoever sits stays seated; a learnt policy knows the standard rules only
  const { num_players: count, ...changed } = chosenOptions();
  const seats = game.seats[count ?? Object.keys(game.seats)[0]];
  const allowed = players.filter((p) => p !== "policy" || !Object.keys(changed).length);
  const before = [...document.querySelectorAll("select.player")].map((s) => s.value);
  const rows = seats.map((seat, i) => {
    const chosen = allowed.includes(before[i]) ? before[i] : allowed[i === 0 ? 0 : 1];
    return element("label", {}, nice(seat), element("select", { className: "player" },
      ...allowed.map((p) => element("option", { value: p, selected: p === chosen }, words[p] || p))));
  });
  byId("seats").replaceChildren(element("legend", {}, "Who plays"), ...rows);
}

async function start() {
  const { table, ...options } = chosenOptions();
  const players = [...document.querySelectorAll("select.player")].map((s) => s.value);
  const button = byId("start");
  button.disabled = true; // the first game of all takes some seconds
  button.textContent = "Setting up …";
  try {
    const made = await ask("/api/sessions", { game: byId("game").value, players, table: table || "", options, practice: byId("practice").checked });
    open(made.session, made);
  } catch (error) { complain(error); } finally {
    button.disabled = false;
    button.textContent = "Play";
  }
}

// ---- the game

function open(name, payload) {
  Object.assign(state, { session: name, picked: {}, ready: null });
  history.replaceState(null, "", `#${name}`);
  show("session");
  draw(payload);
}

function show(part) {
  for (const id of ["setup", "session"]) byId(id).hidden = id !== part;
  byId("nav").hidden = part !== "session";
}

async function change(what, body) {
  if (state.busy) return;
  state.busy = true;
  clearTimeout(state.timer);
  const session = state.session, address = `/api/sessions/${session}${what && `/${what}`}`;
  let payload = null;
  try {
    payload = await ask(address, body);
  } catch (error) {
    if (state.session !== session) { state.busy = false; return; }
    if (error.status !== 409 || what !== "advance") complain(error); // another tab may have been quicker
    if (error.status === 404) { state.busy = false; return leave(); }
    state.timer = setTimeout(() => change(""), error.status === 409 ? 0 : 3000); // look again how the game stands
  }
  state.busy = false;
  if (payload && state.session === session) draw(payload);
}

function draw(payload) {
  state.shown = payload;
  state.picked = {};
  const people = Object.values(payload.players).filter((p) => p === "person").length;
  byId("title").textContent = payload.game.replace(/_v0$/, "").replaceAll("_", " ");
  byId("subtitle").textContent = payload.practice ? "practice" : "";
  byId("undo").hidden = !payload.practice;
  byId("undo").disabled = !payload.can_undo;
  byId("hint").disabled = !payload.yours;
  byId("hints").replaceChildren();
  closeDialogs();
  if (people > 1 && payload.yours && state.ready !== payload.viewer) return passOver(payload);
  byId("board").innerHTML = payload.picture;
  byId("question").textContent = payload.question;
  byId("question").classList.toggle("thinking", !payload.yours && !payload.over);
  drawLog(payload);
  drawChoices();
  if (payload.over) return drawEnd(payload);
  if (!payload.yours) state.timer = setTimeout(() => change("advance", { number: payload.number }), payload.number ? PAUSE : 0);
}

function passOver(payload) { // several people at one page: nobody sees the other's hand
  state.shown = { ...payload, actions: [], yours: false, can_undo: false };
  byId("hint").disabled = byId("undo").disabled = true;
  for (const id of ["board", "choices", "ask-choices", "log"]) byId(id).replaceChildren();
  byId("question").textContent = `${nice(payload.viewer)} decides`;
  byId("pass-text").textContent = `Pass the screen to ${nice(payload.viewer)}.`;
  byId("pass-go").onclick = () => { state.ready = payload.viewer; draw(payload); };
  byId("pass").onclose = () => { if (state.session && state.ready !== payload.viewer) byId("pass").showModal(); };
  byId("pass").showModal();
}

const nice = (seat) => (seat || "").replace(/_/g, " ").replace(/^(dragon|dwarves) 0$/, "the $1");

function drawLog(payload) {
  byId("log").replaceChildren(...payload.log.map(({ seat, text }) => element("li",
    { className: seat === payload.viewer ? "mine" : "" }, element("b", {}, nice(seat)), `: ${text}`)));
  byId("log").scrollTop = byId("log").scrollHeight;
}

function fitting() {
  return state.shown.actions.filter(({ action }) => Object.entries(state.picked).every(([key, value]) => valueOf(action, key) === value));
}

function valueOf(action, key) {
  for (const [name, value] of Object.entries(action)) if ((NAMES[name] || name) === key) return Array.isArray(value) ? value.join(",") : String(value);
  return undefined;
}

function drawChoices() {
  const actions = fitting();
  const modal = state.shown.out_of_turn && state.shown.yours;
  const buttons = actions.map(({ id, text }, i) => element("button", { type: "button", onclick: () => choose(id) }, text,
    ...(i < 9 ? [element("kbd", {}, String(i + 1))] : [])));
  buttons.forEach((button, i) => { button.dataset.action = actions[i].id; });
  if (Object.keys(state.picked).length) buttons.push(element("button", { type: "button", onclick: clearPicked }, "Back", element("kbd", {}, "Esc")));
  byId(modal ? "ask-choices" : "choices").replaceChildren(...buttons);
  byId(modal ? "choices" : "ask-choices").replaceChildren();
  if (modal && !byId("ask").open) {
    byId("ask-text").textContent = state.shown.question;
    byId("ask").show();
  }
  light(actions);
}

function light(actions) {
  const keys = [...new Set(actions.flatMap(({ action }) => Object.keys(action).filter((k) => k !== "type")))];
  for (const old of document.querySelectorAll("#board .can, #board .picked")) {
    old.classList.remove("can", "picked");
    old.removeAttribute("tabindex");
    old.removeAttribute("role");
    old.onclick = old.onkeydown = null;
  }
  for (const name of keys) {
    const key = NAMES[name] || name;
    for (const found of document.querySelectorAll(`#board [data-${key}]`)) {
      const value = found.getAttribute(`data-${key}`);
      if (state.picked[key] === value) { found.classList.add("picked"); continue; }
      if (key in state.picked || !actions.some(({ action }) => valueOf(action, key) === value)) continue;
      found.classList.add("can");
      found.setAttribute("tabindex", "0");
      found.setAttribute("role", "button");
      found.onclick = (event) => { event.stopPropagation(); pick(key, value); };
      found.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(key, value); } };
    }
  }
}

function pick(key, value) {
  state.picked[key] = value;
  const actions = fitting();
  if (actions.length === 1) return choose(actions[0].id);
  drawChoices();
}

function clearPicked() {
  state.picked = {};
  drawChoices();
}

const choose = (id) => change("play", { number: state.shown.number, action: id });

async function hint() {
  const { session, shown } = state;
  if (state.busy || !shown.yours) return;
  try {
    const { hints } = await ask(`/api/sessions/${session}/hint`, { number: shown.number });
    if (state.shown !== shown || state.busy) return;
    const lines = hints.map(({ action, text, share }) => element("button", { type: "button", onclick: () => choose(action) },
      `${text} ${Math.round(100 * share)}%`));
    byId("hints").replaceChildren(element("p", {}, "The adviser would choose:"), ...lines);
  } catch (error) { complain(error); }
}

function drawEnd({ over, viewer }) {
  const winners = Object.keys(over.rewards).filter((seat) => over.rewards[seat] > 0);
  byId("end-title").textContent = !winners.length ? "A draw" : winners.includes(viewer) ? "You won!" : `${nice(winners[0])} won`.replace(/^./, (c) => c.toUpperCase());
  byId("end-reason").textContent = `${over.reason}.`.replace(/^./, (c) => c.toUpperCase());
  byId("replay").href = `/api/sessions/${state.session}/replay`;
  byId("choices").replaceChildren(element("button", { type: "button", onclick: () => byId("end").showModal() }, "Result, rematch, replay"));
  byId("end").showModal();
}

function closeDialogs() {
  byId("pass").onclose = null;
  for (const id of ["ask", "end", "pass"]) if (byId(id).open) byId(id).close();
}

function leave() {
  clearTimeout(state.timer);
  closeDialogs();
  state.session = null;
  history.replaceState(null, "", location.pathname + location.search);
  setUp().catch(complain);
}

byId("hint").onclick = hint;
byId("undo").onclick = () => change("undo", {});
byId("leave").onclick = leave;
byId("rematch").onclick = () => { state.ready = null; change("rematch", {}); };
byId("look").onclick = () => byId("end").close();
byId("ask").addEventListener("cancel", (event) => event.preventDefault());
byId("pass").addEventListener("cancel", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("select, input");
  if (!state.session || elsewhere || byId("pass").open || byId("end").open) return;
  if (/^[1-9]$/.test(event.key)) {
    const button = document.querySelectorAll("#choices button[data-action], #ask-choices button[data-action]")[Number(event.key) - 1];
    if (button) button.click();
  } else if (event.key === "Escape") clearPicked();
  else if (event.key === "h") hint();
  else if (event.key === "u" && state.shown.can_undo) change("undo", {});
});

(async () => {
  const name = location.hash.slice(1);
  if (!name) return setUp();
  try { open(name, await ask(`/api/sessions/${name}`)); } catch { leave(); }
})().catch(complain);
