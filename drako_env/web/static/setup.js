// Choosing a game, and who plays.

import { ask, byId, complain, element, nice, remembered, show, titleOf } from "./common.js";
import { open } from "./play.js";

const OWN = "as started"; // the rules of the command line

let choices = null;

export async function loadChoices() {
  choices ??= await ask("/api/games");
  return choices;
}

export async function setUp(notice = "") {
  const { games, preset, kept } = await loadChoices();
  byId("title").textContent = "Drako";
  byId("subtitle").textContent = "";
  byId("notice").textContent = notice;
  byId("notice").hidden = !notice;
  if (!byId("game").options.length) {
    byId("game").replaceChildren(...Object.entries(games).map(([name, game]) => element("option", { value: name, selected: name === preset.game }, game.title)));
    connect();
    redraw();
  }
  drawMine();
  byId("finished").hidden = !kept;
  byId("finished").open = false;
  show("setup");
}

function connect() {
  byId("game").onchange = redraw;
  byId("count").onchange = drawSeats;
  byId("options").onchange = drawSeats;
  byId("seats").onchange = drawStart;
  byId("use-links").onchange = drawStart;
  byId("form").onsubmit = (event) => { event.preventDefault(); start(); };
  byId("finished").ontoggle = () => { if (byId("finished").open) drawFinished().catch(complain); };
  byId("links-close").onclick = () => byId("links").close();
}

export const chosenGame = () => byId("game").value;

function redraw() {
  const game = choices.games[chosenGame()];
  byId("about").textContent = game.about;
  byId("learn").hidden = !game.lesson;
  const counts = Object.keys(game.seats).filter((count) => count && count !== OWN);
  byId("count").replaceChildren(...counts.map((count) => element("option", { value: count }, count)));
  byId("count-label").hidden = !counts.length;
  byId("seats").replaceChildren();
  drawOptions(game);
  drawSeats();
}

function drawOptions(game) {
  const row = (name, label, help, values) => element("label", {}, label, element("select", { name, className: "option" },
    ...values.map(({ value, label: words }) => element("option", { value: JSON.stringify(value) }, words))), element("small", {}, help));
  byId("options").replaceChildren(row("table", "Cards and board", "Which cards there are, or which board is played on.", game.tables),
    ...game.options.map(({ name, label, help, values }) => row(name, label, help, values)));
}

function chosenOptions() { // only what differs from the standard
  return Object.fromEntries([...document.querySelectorAll("select.option")]
    .filter((s) => s.selectedIndex > 0 || JSON.parse(s.value) === OWN).map((s) => [s.name, JSON.parse(s.value)]));
}

function drawSeats() { // whoever sits stays seated; a learnt policy knows the standard rules only
  const game = choices.games[chosenGame()], { table, ...changed } = chosenOptions(), { preset, person } = choices;
  const own = table === OWN, count = own ? OWN : byId("count").value, seats = game.seats[count];
  byId("count").disabled = own;
  const standard = own || !(table || Object.keys(changed).length);
  const players = [{ value: person, label: "You (or a friend beside you)" }, ...game.opponents[count].map(({ value, label, varied }) => ({ value, label: standard ? label : varied }))];
  const allowed = players.filter(({ value }) => value !== "policy" || standard);
  const before = [...document.querySelectorAll("select.player")].map((s) => s.value);
  const first = preset.game === chosenGame() ? preset.players : [];
  const rows = seats.map((seat, i) => {
    const wanted = before[i] ?? first[i];
    const chosen = allowed.some(({ value }) => value === wanted) ? wanted : allowed[i === 0 ? 0 : 1].value;
    return element("label", {}, game.sides[seat] ?? nice(seat), element("select", { className: "player" },
      ...allowed.map(({ value, label }) => element("option", { value, selected: value === chosen }, label))));
  });
  byId("seats").replaceChildren(element("legend", {}, "Who plays"), ...rows);
  drawStart();
}

const chosenPlayers = () => [...document.querySelectorAll("select.player")].map((s) => s.value);

function drawStart() {
  const people = chosenPlayers().filter((player) => player === choices.person).length;
  byId("start").textContent = people ? "Play" : "Watch";
  byId("links-label").hidden = people < 2;
  byId("analysis-label").hidden = people < 2 || !choices.analysis || !byId("use-links").checked;
}

async function start() {
  const { table, ...options } = chosenOptions(), count = byId("count").value;
  if (count && table !== OWN) options.num_players = Number(count);
  const links = !byId("links-label").hidden && byId("use-links").checked;
  const button = byId("start");
  button.disabled = true; // the first game of all takes some seconds
  button.textContent = "Setting up …";
  try {
    const made = await ask("/api/sessions", { game: chosenGame(), players: chosenPlayers(), table: table || "", options: table === OWN ? {} : options, practice: byId("practice").checked, links, analysis: links && byId("use-analysis").checked });
    open(made.session, made);
    if (links) drawLinks(made);
  } catch (error) { complain(error); } finally {
    button.disabled = false;
    drawStart();
  }
}

// goes on with what the analysis board shows: whoever was to decide there is a person now
export async function playOn(study, number) {
  const made = await ask("/api/sessions/on", { study, number });
  open(made.session, made);
}

function drawLinks({ links }) {
  byId("links-list").replaceChildren(...Object.entries(links).map(([seat, name]) => element("label", {}, nice(seat),
    element("input", { readOnly: true, value: `${location.origin}/#${name}`, onfocus: (event) => event.target.select() }))));
  byId("links").showModal();
}

function drawMine() {
  const games = remembered("games", []).filter(({ game }) => game); // earlier versions wrote other things down
  byId("mine").hidden = !games.length;
  byId("mine-list").replaceChildren(...games.map(({ name, game, players }) => {
    const who = Object.entries(players).map(([seat, player]) => `${nice(seat)}: ${named(game, player, "you or a friend")}`);
    return element("li", {}, element("a", { href: `#${name}` }, titleOf(game)), ` ${who.join(", ")}`);
  }));
}

function named(game, player, person) { // as it is offered, without its figures
  if (player === choices.person) return person;
  const offered = Object.values(choices.games[game.replace(/_v\d+$/, "")]?.opponents ?? {})[0]?.find(({ value }) => value === player);
  return offered ? offered.label.replace(/[:,(].*/, "").trim().replace(/^./, (c) => c.toLowerCase()) : player;
}

async function drawFinished() {
  const { games } = await ask("/api/finished");
  byId("finished-list").replaceChildren(...games.map(({ name, game, players, rewards, reason, decisions, when }) => {
    const who = Object.entries(players).map(([seat, player]) => `${nice(seat)}: ${named(game, player, "a person")}${rewards[seat] > 0 ? " (won)" : ""}`).join(", ");
    const links = [element("a", { href: `/api/finished/${name}`, download: "" }, "replay")];
    if (choices.analysis) links.unshift(element("a", { href: `/analysis/${name}` }, "analyse"), " ");
    return element("li", {}, `${when}, ${titleOf(game)}: ${who}; ${reason}, ${decisions} decisions `, ...links);
  }));
  if (!games.length) byId("finished-list").replaceChildren(element("li", {}, "none yet"));
}
