"use strict";
// The page shows /state, which it requests twice a second, and sends the request of a button.

const operations = { // by selected object: kind, label of the button, its meaning
	region: [["nova", "Let Nova fail", "Nova of this region answers 503 to everything."],
		["quota", "Use up the quota", "No more servers than there are now."]],
	zone: [["zone", "Close the zone", "Nova makes no more servers in it. Its present servers keep running."]],
	host: [["host", "Take the host down", "Its servers answer nothing. Nova still calls them ACTIVE, and makes none there."]],
	server: [["service", "Kill its service", "It answers no health check. Nova calls it ACTIVE."],
		["stop", "Stop it", "Somebody stops the server in Nova."],
		["error", "Put it into ERROR", "As when its host fails."],
		["delete", "Delete it", "Somebody deletes it, and Terraform does not know."]],
};
const byId = (id) => document.getElementById(id);
const images = []; // in the order in which they were seen, which is the order of the colours
let now = null; // the last state
let chosen = "region/RegionOne";

function element(tag, attributes, ...children) {
	const { onclick, ...others } = attributes;
	const e = Object.assign(document.createElement(tag), { onclick });
	for (const [name, value] of Object.entries(others)) e.setAttribute(name, value);
	e.append(...children);
	return e;
}

// choice returns a button that selects an object to break.
function choice(key, label, attributes = {}) {
	const words = { nova: " · Nova fails", quota: " · no quota", zone: " · closed", host: " · down" };
	const kinds = Object.keys(words).filter((kind) => now.broken.includes(key.replace(/^[a-z]+/, kind)));
	return element("button", { type: "button", "data-key": key, "aria-pressed": key === chosen, ...attributes,
		onclick: () => { chosen = key; draw(); } }, ...label, ...kinds.map((kind) => note(words[kind])));
}

const note = (text) => element("span", { class: "bad" }, text);

function server(s, before) {
	if (!images.includes(s.image)) images.push(s.image);
	const busy = !["ACTIVE", "SHUTOFF", "ERROR"].includes(s.status);
	const status = s.status === "ACTIVE" && !s.answers ? "! ACTIVE, no answer" : s.status;
	const marks = { [`r${images.indexOf(s.image) % 4}`]: true, busy, drained: s.drained, new: before?.has(s.id) === false };
	return choice(`server/${s.region}/${s.name}`, [element("b", {}, s.name),
		s.answers || busy ? element("span", {}, status) : note(status), element("span", {}, s.image),
		element("span", { class: "pale" }, s.drained ? "drained" : s.mark ? "✓ " + s.mark : "no mark")],
	{ class: "server " + Object.keys(marks).filter((m) => marks[m]).join(" "), "data-server": s.id });
}

function draw(before) {
	const focus = document.activeElement.dataset.key;
	byId("board").replaceChildren(...[...new Set(now.zones.map((z) => z.region))].map((region) => {
		const servers = now.servers.filter((s) => s.region === region);
		const zones = now.zones.filter((z) => z.region === region);
		if (servers.some((s) => !s.zone)) zones.push({ name: "", hosts: [] });
		return element("section", { class: "region", "aria-label": region }, choice("region/" + region, [region]),
			element("div", { class: "zones" }, ...zones.map((z) => element("div", { class: "zone", role: "group", "aria-label": z.name },
				element("div", {}, z.name ? choice(`zone/${region}/${z.name}`, [z.name]) : "No host found",
					...z.hosts.map((h) => choice(`host/${region}/${h}`, [h]))),
				...servers.filter((s) => s.zone === z.name).map((s) => server(s, before))))));
	}));
	const [what, ...rest] = chosen.split("/");
	byId("chosen").textContent = chosen.replace("/", " ");
	byId("operations").replaceChildren(...operations[what].map(([kind, label, meaning]) => {
		const target = [kind, ...rest];
		const is = now.broken.includes(target.join("/"));
		const path = `/${is ? "repair" : "break"}/${target.map(encodeURIComponent).join("/")}`;
		return element("div", {}, element("button", { type: "button", "data-key": "do/" + kind, onclick: () => post(path) },
			is ? "Repair" : label), is ? note("Broken: " + meaning) : meaning,
		element("code", {}, `curl -X POST ${location.origin}${path}`));
	}));
	if (focus) document.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

async function post(path) {
	const response = await fetch(path, { method: "POST" });
	if (!response.ok) log(await response.text());
	await look();
}

function log(text) {
	byId("log").prepend(element("div", {}, element("time", {}, new Date().toTimeString().slice(0, 8)), " " + text));
	byId("log").children[200]?.remove();
}

// compare logs the changes between two states, and returns the servers of the first.
function compare(was, is) {
	for (const what of is.broken) if (!was.broken.includes(what)) log("broken: " + what);
	for (const what of was.broken) if (!is.broken.includes(what)) log("no longer broken: " + what);
	const [before, after] = [was, is].map((state) => new Map(state.servers.map((s) => [s.id, s])));
	for (const [id, s] of after) {
		const old = before.get(id) ?? {};
		if (!old.id) log(`${s.name} is new in ${s.region}/${s.zone}, with ${s.image}`);
		else if (old.image !== s.image) log(`${s.name} is rebuilt with ${s.image}`);
		if (old.id && old.status !== s.status) log(`${s.name} is ${s.status}`);
		if (s.drained && !old.drained) log(`${s.name} is drained`);
		if (s.mark && s.mark !== old.mark) log(`${s.name} is in service, and marked`);
	}
	for (const [id, s] of before) if (!after.has(id)) log(`${s.name} is gone from ${s.region}/${s.zone}`);
	return before;
}

async function look() {
	try {
		const [was, is] = [now, await (await fetch("/state")).json()];
		now = is;
		if (JSON.stringify(was) !== JSON.stringify(is)) draw(was && compare(was, is));
		byId("ended").hidden = true;
	} catch {
		byId("ended").hidden = false;
	}
}

look();
setInterval(look, 500);
