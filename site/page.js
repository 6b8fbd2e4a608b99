"use strict";
// The page around the planner. It shows foreign text through textContent; the only
// HTML that it inserts is the planner's, which escapes all names.

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

// wrong has the invalid fields, each with the reason.
const wrong = new Map();

// read reads a field, or records why its value is invalid.
const read = (input, problem, take) => {
	if (problem) {
		wrong.set(input, problem);
		input.setAttribute("aria-invalid", "true");
	} else {
		wrong.delete(input);
		input.removeAttribute("aria-invalid");
		take();
	}
	changed();
};

// whole returns what is wrong with the text of a number.
const whole = (input, what, least) => {
	if (input.validity.badInput || !/^\d+$/.test(input.value.trim()) || Number(input.value) < least) {
		return `${what} must be a whole number of ${least} or more, and is ${input.value === "" ? "empty or no number" : `"${input.value}"`}.`;
	}
	return "";
};

// The fields of a place: label, property, and the smallest number.
const fields = [["name", "name"], ["weight", "weight", 1], ["cap", "cap", 0], ["min", "min", 0], ["now", "nodes", 0]];

// row is the line of a place in the form.
const row = (place, path, region, hasZones, remove) => {
	const line = element("div", "", region ? "place zone" : "place");
	line.setAttribute("role", "group");
	const inputs = [];
	const button = element("button", "Remove");
	button.type = "button";
	// Each field names its place, because many have the same label.
	const call = () => {
		const name = region ? `zone ${place.name} of ${region.name}` : `region ${place.name}`;
		line.setAttribute("aria-label", name);
		for (const [text, input] of inputs) input.setAttribute("aria-label", `${text}, ${name}`);
		button.setAttribute("aria-label", `Remove ${name}`);
	};
	for (const [text, property, least] of fields) {
		if (property === "nodes" && hasZones) continue;
		const label = element("label", property === "name" ? (region ? "zone" : "region") : text);
		const input = document.createElement("input");
		input.id = `${path}-${property}`;
		input.setAttribute("aria-describedby", "problem");
		if (property === "name") {
			input.type = "text";
		} else {
			input.inputMode = "numeric";
			if (property === "cap") input.placeholder = "none";
		}
		input.value = property === "cap" && place.cap === -1 ? "" : String(place[property]);
		input.addEventListener("input", () => {
			const none = property === "cap" && input.value.trim() === "";
			const what = `The ${property === "nodes" ? "number of nodes now" : property} of "${place.name}"`;
			const problem = property === "name" ? (input.value === "" ? "A place needs a name." : "") : none ? "" : whole(input, what, least);
			read(input, problem, () => {
				place[property] = property === "name" ? input.value : none ? -1 : Number(input.value);
				if (property === "name") form.call();
			});
		});
		inputs.push([property === "name" ? "name" : text, input]);
		label.append(input);
		line.append(label);
	}
	button.addEventListener("click", () => {
		const at = [...document.querySelectorAll("#places .place > button")].indexOf(button);
		remove();
		form();
		changed();
		// The focus stays near: at the next place, or at the button that adds one.
		const left = document.querySelectorAll("#places .place > button");
		(left[Math.min(at, left.length - 1)] || $("add-region")).focus();
	});
	line.append(button);
	form.callers.push(call);
	call();
	return line;
};

// form redraws the form of regions and zones.
const form = () => {
	wrong.clear();
	for (const id of ["capacity-number", "batch"]) $(id).removeAttribute("aria-invalid");
	form.callers = [];
	$("places").replaceChildren(...state.regions.map((region, i) => {
		const set = document.createElement("fieldset");
		set.append(element("legend", `Region ${i + 1}`));
		set.append(row(region, `r${i}`, null, region.zones.length > 0, () => state.regions.splice(i, 1)));
		region.zones.forEach((zone, j) => set.append(row(zone, `r${i}z${j}`, region, false, () => region.zones.splice(j, 1))));
		const add = element("button", "Add a zone");
		add.type = "button";
		add.setAttribute("aria-label", `Add a zone to region ${i + 1}`);
		add.addEventListener("click", () => {
			region.zones.push({ name: fresh("az-", region.zones), weight: 100, cap: -1, min: 0, nodes: 0 });
			form();
			changed();
			$(`r${i}z${region.zones.length - 1}-name`).focus();
		});
		set.append(add);
		return set;
	}));
};
form.callers = [];
form.call = () => { for (const call of form.callers) call(); };

// fresh returns a name that no place has.
const fresh = (prefix, places) => {
	for (let i = 1; ; i++) if (!places.some((p) => p.name === prefix + i)) return prefix + i;
};

// changed is called when something other than the step changes.
const changed = () => {
	state.step = 0;
	pause();
	show();
};

// A phone gets a picture in which the zones are below each other.
const telephone = matchMedia("(max-width: 600px)");

// where returns the centres of the nodes in the picture, by name.
const middles = () => new Map([...document.querySelectorAll("#drawing [data-node]")].map((e) => {
	const box = e.getBoundingClientRect();
	return [e.dataset.node, { x: box.x + box.width / 2, y: box.y + box.height / 2 }];
}));

// move animates nodes from their old places, and lets new ones appear.
const move = (before) => {
	if (before.size === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
	const svg = document.querySelector("#drawing svg");
	const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
	const after = middles();
	for (const e of document.querySelectorAll("#drawing [data-node]")) {
		const was = before.get(e.dataset.node), is = after.get(e.dataset.node);
		if (!was) {
			e.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 450 });
		} else if (Math.abs(was.x - is.x) + Math.abs(was.y - is.y) > 1) {
			e.animate([{ transform: `translate(${(was.x - is.x) * scale}px, ${(was.y - is.y) * scale}px)` }, { transform: "none" }], { duration: 450, easing: "ease-out" });
		}
	}
};

// show calls the planner, and shows its answer.
const show = () => {
	history.replaceState(null, "", "#" + encodeURIComponent(JSON.stringify(state)));
	$("capacity").max = String(Math.max(40, state.capacity));
	$("capacity").value = String(state.capacity);
	if (!wrong.has($("capacity-number"))) $("capacity-number").value = String(state.capacity);
	if ($("batch").value !== state.batch) $("batch").value = state.batch;
	const [problem] = wrong.values();
	const answer = problem ? { error: problem } : ask("play", JSON.stringify({ ...state, narrow: telephone.matches }));
	complain("problem", answer.error || "");
	const bad = Boolean(answer.error);
	$("batch").toggleAttribute("aria-invalid", false);
	if (bad && answer.error.startsWith("the size of a batch")) $("batch").setAttribute("aria-invalid", "true");
	for (const id of ["drawing", "arithmetic", "configuration"]) $(id).hidden = bad;
	$("back").disabled = $("first").disabled = bad || state.step === 0;
	$("next").disabled = $("play").disabled = bad || answer.remaining === 0;
	if (bad) {
		$("where").textContent = "nothing";
		pause();
		return;
	}
	const before = middles();
	$("drawing").innerHTML = answer.article;
	move(before);
	$("hcl").textContent = answer.hcl;
	$("arithmetic").hidden = state.step > 0;
	$("where").textContent = state.step === 0 ? `resize to ${state.capacity}` : `batch ${state.step}; ${answer.remaining} left`;
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
	let lost = "";
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
			lost = "The address of this page has settings that cannot be read. The page shows its defaults instead.";
		}
	}
	form();
	show();
	if (lost) complain("problem", lost);
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
		// Bytes, because PowerShell writes a plan in UTF-16, which the planner recognizes.
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
	$("viewer").dataset.file = file.name; // name of the shown file
};

const ready = () => {
	$("loading").hidden = true;
	$("parts").hidden = $("playground").hidden = false;
	const number = $("capacity-number");
	$("capacity").addEventListener("input", () => read(number, "", () => { state.capacity = Number($("capacity").value); }));
	number.addEventListener("input", () => read(number, whole(number, "desired_capacity", 0), () => { state.capacity = Number(number.value); }));
	telephone.addEventListener("change", show);
	$("reset").addEventListener("click", () => {
		state = start();
		form();
		changed();
	});
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

// The page decompresses the planner itself, because not every server compresses files.
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
		$("playground").hidden = $("parts").hidden = true;
		$("loading").hidden = false;
		$("loading").textContent = `The planner cannot be loaded, so there is nothing to play with here: ${error}. The project's README shows what it does.`;
	}
})();
