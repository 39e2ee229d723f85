"use strict";
// Everything that a stranger has named is set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const root = document.documentElement;
  root.classList.add("scripted");

  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  // The choice of the reader is kept behind the # of the address.
  const chosen = new Map();
  const readAddress = () => {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return text;
    chosen.clear();
    for (const [name, value] of new URLSearchParams(text)) chosen.set(name, value);
    return "";
  };
  const writeAddress = () => {
    const text = new URLSearchParams([...chosen].filter(([, value]) => value)).toString();
    history.replaceState(null, "", "#" + text);
  };
  const choose = (name, value) => {
    if (value) chosen.set(name, value); else chosen.delete(name);
    writeAddress();
  };
  let anchor = readAddress();
  if (anchor) chosen.set("at", anchor);

  // ---- runs, frame by frame

  const NAMES = {r: "rect", c: "circle", l: "line", p: "polyline", t: "text"};
  const NUMBERS = {
    r: ["x", "y", "width", "height"], c: ["cx", "cy", "r"], l: ["x1", "y1", "x2", "y2"],
    t: ["x", "y", "font-size", "text-anchor"],
  };
  const drawShape = ([, letter, style, ...rest]) => {
    const drawn = document.createElementNS(SVG, NAMES[letter]);
    const name = data.styles[style];
    drawn.setAttribute("class", letter === "t" ? name + "-text" : name);
    if (letter === "p") drawn.setAttribute("points", rest.join(" "));
    else NUMBERS[letter].forEach((attribute, place) =>
      drawn.setAttribute(attribute, rest[place]));
    if (letter === "r") drawn.setAttribute("rx", 3);
    if (letter === "t") drawn.textContent = rest[4];
    return drawn;
  };
  // The shapes of each frame, by their numbers: each frame says what differs from the last one.
  const unpack = track => {
    const frames = [];
    let shapes = new Map();
    for (const [fresh, gone, order] of track.frames) {
      shapes = new Map(shapes);
      gone.forEach(number => shapes.delete(number));
      fresh.forEach(shape => shapes.set(shape[0], shape));
      if (order) shapes = new Map(order.map(number => [number, shapes.get(number)]));
      frames.push(shapes);
    }
    return frames;
  };

  // Step 1 is the first action of a run; states are named by the step that leads there.
  const stateName = steps => steps ? `after step ${steps}` : "start";

  class Stage {
    constructor(track) {
      this.track = track;
      this.frames = null;
      this.heading = make("p", {class: "stage-title"}, track.title);
      this.mark = make("p", {class: "mark"});
      this.words = make("p", {class: "stage-words"});
      this.box = make("div", {class: "stage"}, this.heading, this.mark);
      if (track.size) {
        this.picture = document.createElementNS(SVG, "svg");
        this.picture.setAttribute("viewBox", `0 0 ${track.size[0]} ${track.size[1]}`);
        this.picture.setAttribute("aria-hidden", "true");
        this.box.append(this.picture);
      }
      this.box.append(this.words);
    }
    place(step) {
      let place = this.track.at.length - 1;
      while (place > 0 && this.track.at[place] > step) place--;
      return place;
    }
    show(step) {
      const {track} = this, place = this.place(step), at = track.at[place];
      this.frames = this.frames || unpack(track);
      if (this.picture)
        this.picture.replaceChildren(...[...this.frames[place].values()].map(drawShape));
      const isOver = step > at, isMarked = at === track.marked;
      this.box.classList.toggle("over", isOver);
      this.box.classList.toggle("marked", isMarked);
      const after = track.actions[place + 1] || track.back;
      this.mark.textContent = isMarked && !isOver
        ? `▼ ${track.mark}${after ? `: ${after}` : ""}` : "";
      const ends = place === track.at.length - 1;
      const end = !ends ? "" : track.back
        ? ` ↩ step ${at + 1}: ${track.back}: ${track.loop}, for ever` : ` End: ${track.ending}.`;
      const action = track.actions[place], state = stateName(at);
      const reached = action ? `${state}: ${action}` : state;
      this.words.textContent = `${reached}: ${track.words[place] || "no picture"}.${end}`;
      return `${track.title}, ${this.mark.textContent} ${this.words.textContent}`;
    }
  }

  class Viewer {
    constructor(name, tracks) {
      this.name = name;
      this.stages = tracks.map(track => new Stage(track));
      this.steps = [...new Set(tracks.flatMap(track => track.at))].sort((a, b) => a - b);
      this.slider = make("input", {
        type: "range", min: 0, max: this.steps.length - 1, "aria-label": "step of the runs",
      });
      const button = (text, label, move) => {
        const made = make("button", {type: "button", "aria-label": label}, text);
        made.addEventListener("click", () => this.go(Number(this.slider.value) + move));
        return made;
      };
      this.counter = make("span", {class: "counter"});
      this.status = make("p", {class: "hidden", role: "status"});
      const controls = make("div", {class: "controls"},
        button("◀", "one step back", -1), this.slider, button("▶", "one step on", 1),
        this.counter);
      this.box = make("div", {class: "viewer", role: "group", "aria-label": "step by step"},
        controls, make("div", {class: "stages"}, ...this.stages.map(stage => stage.box)),
        this.status);
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      const marked = tracks[0].marked;
      this.show(Math.max(0, this.steps.indexOf(marked === null ? 0 : marked)));
    }
    show(place) {
      const last = this.steps.length - 1;
      const kept = Math.min(Math.max(0, place), last);
      this.slider.value = kept;
      const step = this.steps[kept];
      this.slider.setAttribute("aria-valuetext", stateName(step));
      this.counter.textContent =
        `${stateName(step)} of ${this.steps[last]}${step ? "" : " steps"}`;
      return this.stages.map(stage => stage.show(step)).join(". ");
    }
    go(place) {
      const said = this.show(place);
      this.status.textContent = said;
      choose("run", `${this.name}:${this.slider.value}`);
    }
  }

  const viewers = new Map();
  for (const [name, tracks] of Object.entries(data.runs)) {
    const place = document.getElementById(name);
    if (!place || !tracks.some(track => track.at.length > 1)) continue;
    const viewer = new Viewer(name, tracks);
    viewers.set(name, viewer);
    place.append(viewer.box);
    place.querySelectorAll(".track").forEach((strip, number) =>
      strip.querySelectorAll(".frame").forEach(frame => frame.addEventListener("click", () =>
        viewer.go(viewer.steps.indexOf(Number(frame.dataset.step))))));
    // Arrow keys also work beside the slider, which has them by itself.
    place.addEventListener("keydown", event => {
      const move = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!move || event.target === viewer.slider || event.altKey || event.ctrlKey) return;
      event.preventDefault();
      viewer.go(Number(viewer.slider.value) + move);
    });
  }

  // ---- the table of all bugs

  const table = document.getElementById("all-bugs");
  let refresh = () => {};
  if (table) {
    const body = table.tBodies[0], rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const column = name => heads.findIndex(head => head.textContent === name);
    const text = (row, place) => row.cells[place].textContent;
    const kindColumn = column("kind"), causeColumn = column("cause");
    const words = rows.map(row => row.textContent.toLowerCase());
    const number = value => { const read = parseFloat(value); return isNaN(read) ? Infinity : read; };
    const search = document.getElementById("search");
    const selects = [["kind", kindColumn], ["cause", causeColumn]].map(([name, place]) => {
      const select = document.getElementById(name);
      const values = [...new Set(rows.map(row => text(row, place)))].filter(Boolean);
      values.sort((a, b) => number(a) - number(b) || (a < b ? -1 : 1));
      select.append(make("option", {value: ""}, "all"),
        ...values.map(value => make("option", {value}, value)));
      select.addEventListener("change", () => { choose(name, select.value); refresh(); });
      return [name, place, select];
    });
    search.addEventListener("input", () => { choose("q", search.value); refresh(); });
    const titles = heads.map(head => head.textContent);
    heads.forEach((head, place) => {
      const button = make("button", {type: "button"}, titles[place]);
      button.addEventListener("click", () => {
        const is = chosen.get("sort") === titles[place];
        choose("down", is && !chosen.get("down") ? "1" : "");
        choose("sort", titles[place]);
        refresh();
      });
      head.replaceChildren(button);
    });
    const sorted = () => {
      const place = titles.indexOf(chosen.get("sort"));
      if (place < 0) return rows;
      const isNumber = heads[place].dataset.sort === "number";
      const key = row => isNumber ? number(text(row, place)) : text(row, place);
      const sign = chosen.get("down") ? -1 : 1;
      const keyed = rows.map((row, index) => [key(row), index, row]);
      keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
      return keyed.map(entry => entry[2]);
    };
    refresh = () => {
      search.value = chosen.get("q") || "";
      const wanted = search.value.toLowerCase();
      selects.forEach(([name, , select]) => { select.value = chosen.get(name) || ""; });
      let count = 0;
      rows.forEach((row, index) => {
        const fits = words[index].includes(wanted) && selects.every(([, place, select]) =>
          !select.value || text(row, place) === select.value);
        row.hidden = !fits;
        count += fits;
      });
      heads.forEach((head, place) => {
        const is = chosen.get("sort") === titles[place];
        if (is) head.setAttribute("aria-sort", chosen.get("down") ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      body.append(...sorted());
      const bugs = `${rows.length} bug${rows.length === 1 ? "" : "s"}`;
      document.getElementById("shown").textContent =
        count === rows.length ? bugs : `${count} of ${bugs}`;
    };
    document.querySelector(".choices").hidden = false;
    refresh();
  }

  // ---- commands to copy

  for (const code of document.querySelectorAll("code.command")) {
    const button = make("button", {type: "button", class: "copy"}, "copy");
    button.setAttribute("aria-label", `copy ${code.textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    });
    code.after(" ", button);
  }

  // ---- places of the page

  const goTo = name => {
    const place = name && document.getElementById(name);
    if (!place) return;
    place.scrollIntoView();
    if (!place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
    place.focus({preventScroll: true});
  };
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    const name = link.getAttribute("href").slice(1);
    choose("at", name);
    goTo(name);
  });
  const restore = () => {
    const [name, place] = (chosen.get("run") || "").split(":");
    if (viewers.has(name)) viewers.get(name).show(Number(place) || 0);
    refresh();
  };
  addEventListener("hashchange", () => {
    const name = readAddress();
    if (name) { chosen.set("at", name); writeAddress(); }
    restore();
    goTo(chosen.get("at"));
  });
  restore();

  // ---- a page that is written again and again

  const KEPT = "bugsieve report";
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(KEPT)); sessionStorage.removeItem(KEPT); } catch {}
  if (kept) {
    scrollTo(kept.x, kept.y);
    const focused = kept.focus && document.getElementById(kept.focus);
    if (focused) focused.focus({preventScroll: true});
  } else goTo(chosen.get("at"));
  if (data.follows) setTimeout(() => {
    const place = {x: scrollX, y: scrollY, focus: document.activeElement.id};
    try { sessionStorage.setItem(KEPT, JSON.stringify(place)); } catch {}
    location.reload();
  }, 10000);
})();
