// The page: what was typed is in `atoms` and `rules`; everything shown follows from them. Names of
// the domain enter the page as text only.

const vocabulary = JSON.parse(document.getElementById("vocabulary").textContent);
const byId = (id) => document.getElementById(id);
const atoms = [];
const rules = [];
let current = 0;
let wasChanged = false;

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// ---- completion ----------------------------------------------------------------------------

let lists = 0;

// Offers what `source(text before the caret)` gives: {from, items}, items replace text from there.
function complete(input, source) {
  const list = element("ul", { className: "options", id: `options-${lists++}`, hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  let offered = { from: 0, items: [] };
  let chosen = -1;
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id };
  Object.entries(attributes).forEach(([name, value]) => input.setAttribute(name, value));
  Object.assign(input, { autocomplete: "off", spellcheck: false });
  input.autocapitalize = "off";

  function close() {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(index) {
    chosen = (index + offered.items.length) % offered.items.length;
    [...list.children].forEach((option, i) =>
      option.setAttribute("aria-selected", String(i === chosen)));
    list.children[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", list.children[chosen].id);
  }

  function take(index) {
    const after = input.value.slice(input.selectionStart);
    const before = input.value.slice(0, offered.from) + offered.items[index];
    input.value = before + after;
    input.setSelectionRange(before.length, before.length);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  }

  function open(isAsked) {
    offered = source(input.value.slice(0, input.selectionStart), isAsked);
    offered.items = [...new Set(offered.items)].slice(0, 50);
    close();
    if (!offered.items.length) return;
    list.replaceChildren(...offered.items.map((text, i) => {
      const option = element("li", { id: `${list.id}-${i}`, textContent: text });
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        take(i);
        input.focus();
      });
      return option;
    }));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  }

  close();
  input.addEventListener("input", (event) => event.isTrusted && open(false));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      if (list.hidden) open(true);
      if (!list.hidden) choose(chosen < 0 && moves[event.key] < 0 ? -1 : chosen + moves[event.key]);
      event.preventDefault();
    } else if (event.key === "Escape" && !list.hidden) {
      close();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      take(chosen);
      event.preventDefault();
    }
  });
  return element("span", { className: "completed" }, input, list);
}

// Items that begin with what the pattern finds before the caret; all of them if asked for.
function matching(pattern, itemsOf) {
  return (before, isAsked) => {
    const found = pattern.exec(before);
    const typed = found ? found[found.length - 1] : "";
    const from = before.length - typed.length;
    if (!found || (!typed && !isAsked)) return { from, items: [] };
    const small = typed.toLowerCase();
    const items = itemsOf().filter((item) => item !== typed);
    const starts = items.filter((item) => item.toLowerCase().startsWith(small));
    const holds = items.filter((item) => item.toLowerCase().includes(small));
    return { from, items: [...starts, ...holds] };
  };
}

// ?r - rover ?a ?b - site gives {"?r": "rover", "?a": "site", "?b": "site"}.
function typedVariables(text) {
  const found = {};
  let open = [];
  for (const [word] of text.matchAll(/\?[\w-]+|-\s*[\w-]+/g)) {
    if (word.startsWith("?")) open.push(word);
    else {
      for (const name of open) found[name] = word.slice(1).trim();
      open = [];
    }
  }
  for (const name of open) found[name] = "object";
  return found;
}

// Types may be called anything, "constructor" too.
const kindsOf = (name) =>
  (Object.hasOwn(vocabulary.types, name) ? vocabulary.types[name] : [name, "object"]);
const fits = (given, wanted) => kindsOf(given).includes(wanted);

// A variable for each type: one of those at hand where it fits, each once, or a new one.
function variablesFor(kinds, known) {
  const free = Object.entries(known);
  const taken = new Set(Object.keys(known));
  return kinds.map((kind) => {
    const index = free.findIndex(([, given]) => fits(given, kind));
    if (index >= 0) return free.splice(index, 1)[0][0];
    let name = `?${kind[0]}`;
    for (let i = 2; taken.has(name); i++) name = `?${kind[0]}${i}`;
    taken.add(name);
    return name;
  });
}

const atomName = (atom) => atom.name.split("(")[0].trim();
const atomVariables = (atom) => typedVariables(atom.name.slice(atomName(atom).length));

function atomItems(rule) {
  const known = typedVariables(rule.forall);
  const declared = atoms.filter((atom) => atomName(atom)).map((atom) => {
    const names = variablesFor(Object.values(atomVariables(atom)), known);
    return atomName(atom) + (names.length ? `(${names.join(",")})` : "");
  });
  return [...declared, "not ", "and ", "or "];
}

function conditionItems(atom) {
  const known = atomVariables(atom);
  const predicates = vocabulary.predicates.map(({ name, kinds }) =>
    `(${[name, ...variablesFor(kinds, known)].join(" ")})`);
  const actions = vocabulary.actions.map(({ name, kinds }) => {
    const names = variablesFor(kinds, known);
    return `(${["did", name, ...names.map((n) => (n in known ? n : "*"))].join(" ")})`;
  });
  const words = ["(and ", "(or ", "(not ", "(imply ", "(exists (", "(forall (", "(= "];
  return [...predicates, ...actions, ...words, ...Object.keys(known), ...vocabulary.objects];
}

const typeItems = () => Object.keys(vocabulary.types).map((name) => `- ${name}`);
const ATOM_PLACE = /(?:^|[\s!&|(>])([A-Za-z_][\w(,?-]*|)$/;
const CONDITION_PLACE = /(\([\w-]*(?: [\w-]*)?|[?\w-]+|)$/;
const TYPE_PLACE = /\s(-\s?[\w-]*|)$/;

// ---- atoms ---------------------------------------------------------------------------------

function labelled(text, control, className = "") {
  return element("label", { className }, text, control);
}

function textField(owner, key, source, changed) {
  const input = element("input", { className: "code", value: owner[key] });
  input.addEventListener("input", () => {
    owner[key] = input.value;
    changed();
  });
  return source ? complete(input, source) : input;
}

function showAtoms() {
  byId("atoms").replaceChildren(...atoms.map((atom, index) => {
    const name = textField(atom, "name", matching(TYPE_PLACE, typeItems), update);
    const is = textField(atom, "is", matching(CONDITION_PLACE, () => conditionItems(atom)), update);
    const remove = element("button", { type: "button", textContent: "Remove" });
    remove.setAttribute("aria-label", `Remove the atom ${atomName(atom) || index + 1}`);
    remove.addEventListener("click", () => {
      atoms.splice(index, 1);
      showAtoms();
      byId("add-atom").focus();
      update();
    });
    const fields = element("div", { className: "fields" },
      labelled("Name, as in moving(?r - rover)", name), remove,
      labelled("PDDL condition", is, "wide"));
    return element("li", {}, fields);
  }));
}

function addAtom(atom) {
  atoms.push(atom);
  showAtoms();
  byId("atoms").lastElementChild.querySelector("input").focus();
  update();
}

function atomFrom({ name, kinds, isAction }) {
  const names = variablesFor(kinds, {});
  const typed = names.map((variable, i) => `${variable} - ${kinds[i]}`).join(" ");
  return {
    name: name + (typed && `(${typed})`),
    is: `(${[...(isAction ? ["did"] : []), name, ...names].join(" ")})`,
  };
}

function showSources() {
  const option = (item) => element("option", {
    textContent: `${item.isAction ? "did " : ""}${[item.name, ...item.kinds].join(" ")}`,
  });
  const actions = vocabulary.actions.map((action) => ({ ...action, isAction: true }));
  const sources = [...vocabulary.predicates, ...actions];
  byId("source").replaceChildren(...sources.map(option));
  byId("add-from").disabled = !sources.length;
  byId("add-from").addEventListener("click", () =>
    addAtom(atomFrom(sources[byId("source").selectedIndex])));
  byId("add-atom").addEventListener("click", () => addAtom({ name: "", is: "" }));
}

// ---- rules ---------------------------------------------------------------------------------

const PATTERN_SCOPES = ["global", "before", "after", "between", "after-until"];
const SENTENCE_SCOPES = ["global", "before", "after", "between", "while"];
const SCOPE_NAMES = {
  global: "the whole trace", before: "before r", after: "after q", between: "between q and r",
  "after-until": "after q until r", while: "while q",
};
const CONDITION_NAMES = { none: "at the start", whenever: "whenever c", upon: "upon c" };
const TIMING_NAMES = {
  always: "always", never: "never", immediately: "immediately", next: "at the next step",
  eventually: "eventually", until: "until s", before: "before s", within: "within N steps",
  for: "for N steps",
};
const PART_NAMES = {
  pattern: { p: "p", s: "s", q: "q, where the scope starts", r: "r, where the scope ends" },
  english: {
    p: "p, what shall hold", c: "c, the condition", s: "s, until or before which",
    q: "q, of the scope", r: "r, where the scope ends",
  },
};

function newRule() {
  const ids = new Set(rules.map((rule) => rule.id));
  let number = rules.length + 1;
  while (ids.has(`FR-${number}`)) number++;
  return {
    id: `FR-${number}`, kind: "desired", forall: "", form: "english", pattern: "response",
    scope: "global", condition: "whenever", timing: "immediately", component: "system",
    p: "", s: "", q: "", r: "", c: "", k: "2", steps: "2", note: "",
  };
}

function choiceField(rule, key, names) {
  const select = element("select", {}, ...Object.entries(names).map(([value, text]) =>
    element("option", { value, textContent: text, selected: rule[key] === value })));
  select.dataset.key = key;
  select.addEventListener("change", () => {
    rule[key] = select.value;
    showRule();
    byId("rule-form").querySelector(`[data-key=${key}]`).focus();
    update();
  });
  return select;
}

function formChoice(rule) {
  const names = { english: "English sentence", pattern: "Pattern" };
  const choices = Object.entries(names).map(([value, text]) => {
    const radio = element("input", {
      type: "radio", name: "form", value, checked: rule.form === value,
    });
    radio.addEventListener("change", () => {
      rule.form = value;
      const scopes = value === "pattern" ? PATTERN_SCOPES : SENTENCE_SCOPES;
      if (!scopes.includes(rule.scope)) rule.scope = "global";
      showRule();
      byId("rule-form").querySelector(`input[value=${value}]`).focus();
      update();
    });
    return element("label", {}, radio, text);
  });
  return element("fieldset", { className: "choice" },
    element("legend", { textContent: "Written as" }), ...choices);
}

const only = (names, keys) => Object.fromEntries(keys.map((key) => [key, names[key]]));

function choiceFields(rule) {
  if (rule.form === "pattern") {
    const names = Object.fromEntries(Object.entries(vocabulary.patterns)
      .map(([name, meaning]) => [name, `${name}: ${meaning}`]));
    return [
      labelled("Pattern", choiceField(rule, "pattern", names), "wide"),
      labelled("Scope", choiceField(rule, "scope", only(SCOPE_NAMES, PATTERN_SCOPES))),
    ];
  }
  return [
    labelled("Scope", choiceField(rule, "scope", only(SCOPE_NAMES, SENTENCE_SCOPES))),
    labelled("Condition", choiceField(rule, "condition", CONDITION_NAMES)),
    labelled("Timing", choiceField(rule, "timing", TIMING_NAMES)),
  ];
}

function partFields(rule) {
  const places = matching(ATOM_PLACE, () => atomItems(rule));
  const fields = partsOf(rule).map((name) => {
    const field = textField(rule, name, places, update);
    field.querySelector("input").dataset.part = name;
    return labelled(PART_NAMES[rule.form][name], field, "wide");
  });
  const numbers = [];
  if (rule.form === "pattern" && rule.pattern === "bounded-existence") numbers.push(["k", "k"]);
  if (rule.form === "english" && ["within", "for"].includes(rule.timing)) {
    numbers.push(["steps", "N, number of steps"]);
  }
  return [...fields, ...numbers.map(([key, text]) => {
    const input = textField(rule, key, null, update);
    input.inputMode = "numeric";
    return labelled(text, input);
  })];
}

function showRule() {
  const rule = rules[current];
  byId("remove-rule").disabled = rules.length < 2;
  const changedId = () => {
    showRuleList();
    update();
  };
  byId("rule-form").replaceChildren(
    element("div", { className: "fields" },
      labelled("Id", textField(rule, "id", null, changedId)),
      labelled("Kind", choiceField(rule, "kind", { desired: "desired", forbidden: "forbidden" })),
      labelled("For all, as in ?r - rover",
        textField(rule, "forall", matching(TYPE_PLACE, typeItems), update))),
    formChoice(rule),
    element("div", { className: "fields" }, ...choiceFields(rule)),
    element("div", { className: "fields" }, ...partFields(rule)),
    element("div", { className: "fields" },
      labelled("Component, as in the rover shall", textField(rule, "component", null, update)),
      labelled("Note", textField(rule, "note", null, update))));
}

function showRuleList() {
  byId("rule-list").replaceChildren(...rules.map((rule, index) => {
    const button = element("button", { type: "button", textContent: rule.id || "(no id)" });
    button.setAttribute("aria-pressed", String(index === current));
    button.addEventListener("click", () => selectRule(index));
    return button;
  }));
}

function selectRule(index) {
  current = index;
  showRuleList();
  showRule();
  byId("rule-list").children[index].focus();
  update();
}

// ---- what follows from them ----------------------------------------------------------------

const ATOM_FORM = new RegExp(`^${NAME}(\\([^()]*\\))?$`);

// Why an atom cannot be in the file yet, or "".
function atomObjection(atom) {
  const name = atomName(atom);
  if (!name || !atom.is.trim()) return `the atom ${name || "without a name"} is not complete`;
  if (!ATOM_FORM.test(atom.name.trim()) || /^([XNFGUWRM]|true|false)$/.test(name)) {
    return `${atom.name.trim()} is no name of an atom`;
  }
  const small = name.toLowerCase();
  const twins = atoms.filter((other) => atomName(other).toLowerCase() === small);
  return twins.length > 1 && twins[0] !== atom ? `there are two atoms ${name}` : "";
}

// What is wrong with a rule beyond its form: [message, predicate that could be declared] each.
function objections(rule, formula) {
  const id = rule.id.trim();
  const found = [];
  if (!id) found.push(["the rule needs an id"]);
  if (/[\s,[\]]/.test(id)) found.push(["an id has no blanks, commas and brackets"]);
  if (rules.find((other) => other.id.trim() === id) !== rule) {
    found.push([`there are two rules ${id}`]);
  }
  const variables = typedVariables(rule.forall);
  for (const name of atomsOf(formula)) {
    const [plain, ...rest] = name.split(/[(),]/).filter(Boolean);
    found.push(...atomUse(plain, rest.length));
    for (const variable of rest) {
      if (variable.startsWith("?") && !(variable in variables)) {
        found.push([`${variable} is not among the variables of “For all”`]);
      }
    }
  }
  return found;
}

function atomUse(name, count) {
  const declared = atoms.find((atom) => atomName(atom) === name);
  if (!declared) {
    const source = vocabulary.predicates.find((item) => item.name === name.toLowerCase());
    return [[`the atom ${name} is not declared`, source]];
  }
  const wanted = Object.keys(atomVariables(declared)).length;
  if (wanted !== count) return [[`${name} takes ${wanted} argument${wanted === 1 ? "" : "s"}`]];
  const objection = atomObjection(declared);
  return objection ? [[objection]] : [];
}

function showProblems(problems) {
  byId("problems").replaceChildren(...problems.map(([message, source]) => {
    const line = element("p", { textContent: message });
    if (source) {
      const add = element("button", { type: "button", textContent: `Declare ${source.name}` });
      add.addEventListener("click", () => addAtom(atomFrom(source)));
      line.append(add);
    }
    return line;
  }));
}

function traceTable(title, className, names, trace) {
  const cells = (name) => trace.map((letter) => {
    const isTrue = letter.has(name);
    return element("td", { className: String(isTrue), textContent: isTrue ? "true" : "–" });
  });
  const head = trace.map((_, i) => element("th", { scope: "col", textContent: String(i) }));
  const rows = names.map((name) => element("tr", {},
    element("th", { scope: "row", textContent: name }), ...cells(name)));
  const table = element("table", {},
    element("caption", { className, textContent: title }),
    element("thead", {}, element("tr", {},
      element("th", { scope: "col", textContent: "state" }), ...head)),
    element("tbody", {}, ...rows));
  const scroll = element("div", { className: "scroll", tabIndex: 0 }, table);
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  return scroll;
}

function showTraces(rule, understood) {
  if (!understood) return byId("traces").replaceChildren();
  const found = exampleTraces(understood.formula, understood.wishes);
  const none = (text) => element("p", { className: "hint", textContent: text });
  if (!found) {
    const many = `no examples: the rule has more than ${MAX_ATOMS} atoms`;
    return byId("traces").replaceChildren(none(many));
  }
  const isForbidden = rule.kind === "forbidden";
  const [good, bad] = isForbidden ? ["bad", "good"] : ["good", "bad"];
  const words = isForbidden
    ? ["A trace with what is forbidden", "A trace without it"]
    : ["A trace that keeps the rule", "A trace that breaks it"];
  const shown = (trace, title, className) => (trace
    ? traceTable(title, className, found.names, trace)
    : none(`${title}: none was found.`));
  return byId("traces").replaceChildren(
    shown(found.satisfying, words[0], good), shown(found.violating, words[1], bad));
}

// What a rule says, and what is wrong with it.
function judge(rule) {
  try {
    const understood = understand(rule);
    return { understood, problems: objections(rule, understood.formula) };
  } catch (error) {
    return { understood: null, problems: [[error.message]], field: error.field };
  }
}

function update() {
  const rule = rules[current];
  const { understood, problems, field } = judge(rule);
  for (const input of byId("rule-form").querySelectorAll("[data-part]")) {
    const isWrong = field === input.dataset.part;
    input.setAttribute("aria-invalid", String(isWrong));
  }
  byId("sentence").textContent = understood ? understood.sentence : "";
  byId("ltl").textContent = understood ? toText(understood.formula) : "";
  showTraces(rule, understood);
  const unused = atoms.map(atomObjection).filter(Boolean).map((text) => [text]);
  const seen = new Set();
  showProblems([...problems, ...unused].filter(([text]) => !seen.has(text) && seen.add(text)));
  showFile();
}

// The file with all that is complete.
function currentFile() {
  const ready = rules.filter((rule) => !judge(rule).problems.length);
  return { ready, text: fileText(atoms.filter((atom) => !atomObjection(atom)), ready) };
}

function showFile() {
  const { ready, text } = currentFile();
  byId("file").textContent = text;
  const missing = rules.length - ready.length;
  byId("left-out").textContent = missing
    ? `${missing} rule${missing > 1 ? "s are" : " is"} not complete yet, and not in the file.` : "";
}

function download() {
  const blob = new Blob([currentFile().text], { type: "application/toml" });
  const link = element("a", { href: URL.createObjectURL(blob), download: "rules.toml" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  wasChanged = false;
}

function start() {
  byId("domain").textContent = vocabulary.domain;
  byId("problem").textContent = vocabulary.problem;
  rules.push(newRule());
  byId("add-rule").addEventListener("click", () => {
    rules.push(newRule());
    selectRule(rules.length - 1);
  });
  byId("remove-rule").addEventListener("click", () => {
    rules.splice(current, 1);
    selectRule(Math.max(0, current - 1));
  });
  byId("download").addEventListener("click", download);
  document.addEventListener("input", () => { wasChanged = true; });
  addEventListener("beforeunload", (event) => wasChanged && event.preventDefault());
  showSources();
  showRuleList();
  showRule();
  update();
}

start();
