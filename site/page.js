"use strict";
// The page around the planner. It shows text of others through textContent; the
// only HTML that it takes in is that of the planner, which escapes all names.

const $ = (id) => document.getElementById(id);

const start = () => ({
	capacity: 9, batch: "2", step: 0,
	regions: [
		{ name: "RegionOne", weight: 200, cap: -1, min: 0, nodes: 0, zones: [
			{ name: "az-1", weight: 100, cap: -1, min: 1, nodes: 1 },
			{ name: "az-2", weight: 100, cap: 2, min: 0, nodes: 1 },
			{ name: "az-3", weight: 100, cap: -1, min: 0, nodes: 1 },
		] },
		{ name: "RegionTwo", weight: 100, cap: -1, min: 0, nodes: 1, zones: [] },
	],
});

let state = start();
let timer = 0;

// ask calls the planner.
const ask = (name, text) => JSON.parse(globalThis.stackpolicy[name](text));

const complain = (id, text) => {
	$(id).textContent = text;
	$(id).hidden = text === "";
};

// element makes an element with a text.
const element = (tag, text, className) => {
	const e = document.createElement(tag);
	e.textContent = text;
	if (className) e.className = className;
	return e;
};

// The fields of a place: label, property, and what an empty field means.
const fields = [["name", "name", ""], ["weight", "weight", 100], ["cap (none: empty)", "cap", -1], ["min", "min", 0], ["nodes now", "nodes", 0]];

// row is the line of a place in the form.
const row = (place, path, isZone, hasZones, remove) => {
	const line = element("div", "", isZone ? "place zone" : "place");
	for (const [text, property, empty] of fields) {
		if (property === "nodes" && hasZones) continue;
		const label = element("label", text);
		const input = document.createElement("input");
		input.id = `${path}-${property}`;
		if (property === "name") {
			input.size = 14;
		} else {
			input.type = "number";
			input.min = property === "weight" ? "1" : "0";
		}
		input.value = property === "cap" && place.cap === -1 ? "" : String(place[property]);
		input.addEventListener("input", () => {
			if (property === "name") place.name = input.value;
			else if (input.value === "") place[property] = empty;
			else place[property] = Math.trunc(Number(input.value)) || 0;
			changed();
		});
		label.append(input);
		line.append(label);
	}
	const button = element("button", "Remove");
	button.type = "button";
	button.setAttribute("aria-label", `Remove ${place.name}`);
	button.addEventListener("click", () => { remove(); form(); changed(); });
	line.append(button);
	return line;
};

// form redraws the form of regions and zones.
const form = () => {
	$("places").replaceChildren(...state.regions.map((region, i) => {
		const set = document.createElement("fieldset");
		set.append(element("legend", `Region ${i + 1}`));
		set.append(row(region, `r${i}`, false, region.zones.length > 0, () => state.regions.splice(i, 1)));
		region.zones.forEach((zone, j) => set.append(row(zone, `r${i}z${j}`, true, false, () => region.zones.splice(j, 1))));
		const add = element("button", "Add a zone");
		add.type = "button";
		add.addEventListener("click", () => {
			region.zones.push({ name: fresh("az-", region.zones), weight: 100, cap: -1, min: 0, nodes: 0 });
			form();
			changed();
		});
		set.append(add);
		return set;
	}));
};

// fresh is a name that no place has.
const fresh = (prefix, places) => {
	for (let i = 1; ; i++) if (!places.some((p) => p.name === prefix + i)) return prefix + i;
};

// changed is called when something other than the step was set.
const changed = () => {
	state.step = 0;
	pause();
	show();
};

// show asks the planner, and shows its answer.
const show = () => {
	history.replaceState(null, "", "#" + encodeURIComponent(JSON.stringify(state)));
	$("capacity").max = String(Math.max(40, state.capacity));
	$("capacity").value = $("capacity-number").value = String(state.capacity);
	if ($("batch").value !== state.batch) $("batch").value = state.batch;
	const answer = ask("play", JSON.stringify(state));
	complain("problem", answer.error || "");
	const bad = Boolean(answer.error);
	for (const id of ["drawing", "arithmetic", "hcl"]) $(id).hidden = bad;
	$("back").disabled = $("first").disabled = bad || state.step === 0;
	$("next").disabled = $("play").disabled = bad || answer.remaining === 0;
	if (bad) {
		$("where").textContent = "";
		pause();
		return;
	}
	$("drawing").innerHTML = answer.article;
	$("hcl").textContent = answer.hcl;
	$("arithmetic").hidden = state.step > 0;
	$("where").textContent = state.step === 0 ? `Resize to ${state.capacity}` : `Batch ${state.step}; ${answer.remaining} left`;
	const moves = (answer.moves || []).map((move) => {
		const item = element("li", move.place);
		for (const level of move.levels) {
			const line = element("span", `${level.of}: `, "level");
			level.options.forEach((option, i) => {
				if (i > 0) line.append("; ");
				const note = option.note ? `${option.sum ? ", " : ""}${option.note}` : "";
				line.append(element("span", `${option.name} ${option.sum}${note}`, option.chosen ? "chosen" : ""));
			});
			item.append(line);
		}
		return item;
	});
	if (answer.more > 0) moves.push(element("li", `and ${answer.more} more`));
	if (moves.length === 0) moves.push(element("li", "No node is added or removed."));
	$("moves").replaceChildren(...moves);
	if (answer.remaining === 0) pause();
};

const pause = () => {
	clearInterval(timer);
	timer = 0;
	$("play").setAttribute("aria-pressed", "false");
};

const step = (by) => {
	state.step = Math.max(0, state.step + by);
	show();
};

// restore reads the state from the fragment of the address.
const restore = () => {
	pause();
	state = start();
	let wrong = "";
	if (location.hash.length > 1) {
		try {
			const read = JSON.parse(decodeURIComponent(location.hash.slice(1)));
			const number = (n, byDefault) => Number.isSafeInteger(n) ? n : byDefault;
			const place = (p) => ({ name: String(p.name), weight: number(p.weight, 100), cap: number(p.cap, -1), min: number(p.min, 0), nodes: number(p.nodes, 0) });
			state = {
				capacity: number(read.capacity, 0), batch: String(read.batch), step: number(read.step, 0),
				regions: read.regions.map((r) => ({ ...place(r), zones: (r.zones || []).map(place) })),
			};
		} catch {
			wrong = "The address has no state that can be read, so this is the one to begin with.";
		}
	}
	form();
	show();
	if (wrong) complain("problem", wrong);
};

// part shows the playground or the viewer.
const part = (name) => {
	for (const other of ["playground", "viewer"]) {
		$(other).hidden = other !== name;
		$("show-" + other).setAttribute("aria-pressed", String(other === name));
	}
};

// open shows the plan in a file.
const open = async (file) => {
	part("viewer");
	let answer;
	try {
		// Bytes, because a plan that PowerShell wrote is UTF-16: the planner sees that.
		const bytes = new Uint8Array(await file.arrayBuffer());
		const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
		answer = ask("view", new TextDecoder(utf16).decode(bytes));
	} catch (error) {
		answer = { error: `${file.name} cannot be read: ${error}` };
	}
	complain("view-problem", answer.error ? `${file.name}: ${answer.error}` : "");
	$("view").innerHTML = answer.error ? "" : answer.article;
	$("markdown").textContent = answer.markdown || "";
	$("view-more").hidden = Boolean(answer.error);
	$("viewer").dataset.file = file.name; // what is shown
};

const ready = () => {
	$("loading").hidden = true;
	for (const id of ["capacity", "capacity-number"]) {
		$(id).addEventListener("input", () => {
			state.capacity = Math.trunc(Number($(id).value)) || 0;
			changed();
		});
	}
	$("batch").addEventListener("input", () => { state.batch = $("batch").value; changed(); });
	$("add-region").addEventListener("click", () => {
		state.regions.push({ name: fresh("Region", state.regions), weight: 100, cap: -1, min: 0, nodes: 0, zones: [] });
		form();
		changed();
	});
	$("places").addEventListener("submit", (event) => event.preventDefault());
	$("first").addEventListener("click", () => { pause(); state.step = 0; show(); });
	$("back").addEventListener("click", () => { pause(); step(-1); });
	$("next").addEventListener("click", () => { pause(); step(1); });
	$("play").addEventListener("click", () => {
		if (timer) return pause();
		$("play").setAttribute("aria-pressed", "true");
		timer = setInterval(() => step(1), 1200);
	});
	$("copy").addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText($("hcl").textContent);
			$("copied").textContent = "Copied.";
		} catch {
			getSelection().selectAllChildren($("hcl"));
			$("copied").textContent = "Selected: copy it with the keyboard.";
		}
	});
	$("show-playground").addEventListener("click", () => part("playground"));
	$("show-viewer").addEventListener("click", () => part("viewer"));
	$("file").addEventListener("change", () => { if ($("file").files[0]) open($("file").files[0]); });
	for (const name of ["dragenter", "dragover"]) {
		addEventListener(name, (event) => { event.preventDefault(); document.body.classList.add("over"); });
	}
	addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("over"); });
	addEventListener("drop", (event) => {
		event.preventDefault();
		document.body.classList.remove("over");
		if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
	});
	addEventListener("hashchange", restore);
	restore();
};

addEventListener("planner", ready, { once: true });

// The planner is compressed here and not by the server, because not every server
// does that.
(async () => {
	try {
		const go = new Go();
		const response = await fetch("planner.wasm.gz");
		if (!response.ok) throw new Error(`planner.wasm.gz: ${response.status}`);
		const wasm = new Response(response.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
		const { instance } = await WebAssembly.instantiateStreaming(wasm, go.importObject);
		await go.run(instance);
		complain("problem", "The planner has ended. Load the page again.");
	} catch (error) {
		$("loading").textContent = `The planner cannot be loaded: ${error}`;
	}
})();
