"use strict";
// Formulas, patterns, sentences and example traces: what bugsieve.rooms.rules.ltl and
// bugsieve.rooms.rules.english do in Python. Tests compare both, so change them together.

// ---- formulas ------------------------------------------------------------------------------

const make = (op, ...parts) => ({ op, parts, name: "" });
const atom = (name) => ({ op: "atom", parts: [], name });
const TRUE = make("true");
const FALSE = make("false");
const not = (f) => (f.op === "not" ? f.parts[0] : make("not", f));
const and = (a, b) => make("and", a, b);
const or = (a, b) => make("or", a, b);
const implies = (a, b) => make("implies", a, b);
const always = (f) => make("globally", f);
const eventually = (f) => make("finally", f);
const next = (f) => make("next", f);
const weakNext = (f) => make("weak-next", f);
const until = (a, b) => make("until", a, b);
const weakUntil = (a, b) => make("weak-until", a, b);
const same = (a, b) => toText(a) === toText(b);

function conjunction(formulas) {
  const parts = [];
  for (const formula of formulas) {
    for (const part of formula.op === "and" ? formula.parts : [formula]) {
      if (part.op !== "true" && !parts.some((other) => same(part, other))) parts.push(part);
    }
  }
  if (parts.some((part) => part.op === "false")) return FALSE;
  if (parts.length < 2) return parts[0] || TRUE;
  return make("and", ...parts);
}

function atomsOf(formula) {
  const found = new Set();
  const visit = (f) => (f.op === "atom" ? found.add(f.name) : f.parts.forEach(visit));
  visit(formula);
  return [...found].sort();
}

const UNARY = { not: "!", next: "X", "weak-next": "N", finally: "F", globally: "G" };
const BINARY = {
  until: "U", "weak-until": "W", release: "R", "strong-release": "M",
  and: "&", or: "|", implies: "->", iff: "<->",
};
const BINDING = {
  true: 6, false: 6, atom: 6, not: 5, next: 5, "weak-next": 5, finally: 5, globally: 5,
  until: 4, "weak-until": 4, release: 4, "strong-release": 4, and: 3, or: 2, implies: 1, iff: 0,
};

function toText(formula, shown = (name) => name) {
  if (formula.op === "atom") return shown(formula.name);
  if (!formula.parts.length) return formula.op;
  const own = BINDING[formula.op];
  if (formula.op in UNARY) {
    const sign = UNARY[formula.op];
    const inner = toText(formula.parts[0], shown);
    if (BINDING[formula.parts[0].op] < own) return `${sign}(${inner})`;
    return sign === "!" ? sign + inner : `${sign} ${inner}`;
  }
  const last = formula.parts.length - 1;
  const parts = formula.parts.map((part, index) => {
    const binding = BINDING[part.op];
    const joinsRight = index === last && !["and", "or"].includes(formula.op);
    const text = toText(part, shown);
    return binding > own || (binding === own && joinsRight) ? text : `(${text})`;
  });
  return parts.join(` ${BINARY[formula.op]} `);
}

// ---- conditions ----------------------------------------------------------------------------

const MAX_LENGTH = 2000;
const MAX_DEPTH = 60;
const MAX_STEPS = 50;
const MAX_BOUND = 40;
const RESERVED = new Set(
  ["not", "and", "or", "if", "then", "true", "false", "until", "satisfy", "shall"]);
const NAME = "[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*";
const ARGUMENT = "\\s*\\??[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?!>))*\\s*";
const TOKEN = new RegExp(
  `\\s+|\`(${NAME}(?:\\(${ARGUMENT}(?:,${ARGUMENT})*\\))?)\`` +
  `|(${NAME})(\\(${ARGUMENT}(?:,${ARGUMENT})*\\))?|<->|->|[!&|()]|.`, "gsy");
const JOINTS = { "&": "and", and: "and", "|": "or", or: "or", "->": "implies", "<->": "iff" };

function tokensOf(text) {
  if (text.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  const tokens = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [all, quoted, name, call] = match;
    if (quoted) tokens.push({ atom: quoted.replace(/\s/g, "") });
    else if (name && RESERVED.has(name.toLowerCase())) {
      tokens.push({ word: name.toLowerCase() });
      TOKEN.lastIndex = match.index + name.length;
    } else if (name) tokens.push({ atom: name + (call || "").replace(/\s/g, "") });
    else if (all.trim()) tokens.push({ word: all });
  }
  return tokens;
}

// A condition on single states, with signs or with the words not, and, or.
function parseCondition(text) {
  const tokens = tokensOf(text);
  let position = 0;
  const word = () => (tokens[position] ? tokens[position].word : undefined);
  const shown = () => {
    const token = tokens[position];
    return token ? `“${token.word || token.atom}”` : "the end";
  };

  function operand(depth) {
    if (depth > MAX_DEPTH) throw new Error("nested too deeply");
    const token = tokens[position++];
    if (token && token.atom) {
      if (/^[XNFGUWRM]$/.test(token.atom)) {
        throw new Error(`“${token.atom}” is an operator of LTL and no atom`);
      }
      return atom(token.atom);
    }
    if (token && token.word === "true") return TRUE;
    if (token && token.word === "false") return FALSE;
    if (token && (token.word === "!" || token.word === "not")) {
      return make("not", operand(depth + 1));
    }
    if (token && token.word === "(") {
      const inside = expression(0, depth + 1);
      if (word() !== ")") throw new Error(`“)” is expected, not ${shown()}`);
      position++;
      return inside;
    }
    position--;
    throw new Error(`an atom is expected, not ${shown()}`);
  }

  function expression(binding, depth) {
    if (depth > MAX_DEPTH) throw new Error("nested too deeply");
    let left = operand(depth);
    for (let op = JOINTS[word()]; op && BINDING[op] >= binding; op = JOINTS[word()]) {
      if (op === "and" || op === "or") {
        const parts = [left];
        while (JOINTS[word()] === op) {
          position++;
          parts.push(expression(BINDING[op] + 1, depth + 1));
        }
        left = make(op, ...parts);
      } else {
        position++;
        left = make(op, left, expression(BINDING[op], depth + 1));
      }
    }
    return left;
  }

  const found = expression(0, 0);
  if (position < tokens.length) throw new Error(`“and” or “or” is expected, not ${shown()}`);
  return found;
}

// ---- patterns ------------------------------------------------------------------------------

function patternBody(pattern, p, s, k) {
  const throughout = (f) => ({ whole: always(f), upTo: (r) => weakUntil(f, r) });
  switch (pattern) {
    case "absence": return throughout(not(p));
    case "existence":
      return { whole: eventually(p), upTo: (r) => until(not(r), and(p, not(r))) };
    case "universality": return throughout(p);
    case "response":
      return {
        whole: always(implies(p, eventually(s))),
        upTo: (r) => weakUntil(implies(p, until(not(r), and(s, not(r)))), r),
      };
    case "precedence":
      return { whole: weakUntil(not(p), s), upTo: (r) => weakUntil(not(p), or(s, r)) };
    case "mutual-exclusion": return throughout(not(and(p, s)));
    default: return boundedBody(p, k);
  }
}

function boundedBody(p, k) {
  let whole = always(not(p));
  for (let i = 0; i < k; i++) whole = weakUntil(not(p), weakUntil(p, whole));
  return {
    whole,
    upTo(r) {
      let rest = weakUntil(not(p), r);
      for (let i = 0; i < k; i++) {
        rest = weakUntil(and(not(p), not(r)), or(r, weakUntil(and(p, not(r)), or(r, rest))));
      }
      return rest;
    },
  };
}

function patternFormula(pattern, scope, { p, s, q, r, k }) {
  const body = patternBody(pattern, p, s, k);
  switch (scope) {
    case "global": return body.whole;
    case "before": return implies(eventually(r), body.upTo(r));
    case "after": return weakUntil(not(q), and(q, body.whole));
    case "between":
      return always(implies(conjunction([q, not(r), eventually(r)]), body.upTo(r)));
    default: return always(implies(and(q, not(r)), body.upTo(r)));
  }
}

// ---- sentences -----------------------------------------------------------------------------
// A sentence: {scope, bounds, condition, trigger, timing, stop, steps, response}.

function gridFormula(sentence) {
  const { scope, bounds } = sentence;
  if (scope === "while") return whileFormula(sentence);
  if (scope === "before") {
    return implies(eventually(bounds[0]), onSegment(sentence, bounds[0], true));
  }
  if (scope === "after") {
    return weakUntil(not(bounds[0]), and(bounds[0], onSegment(sentence, null, false)));
  }
  if (scope === "between") {
    const opens = make("and", bounds[0], not(bounds[1]), eventually(bounds[1]));
    return always(implies(opens, onSegment(sentence, bounds[1], false)));
  }
  return onSegment(sentence, null, false);
}

function whileFormula({ bounds, ...sentence }) {
  const bound = bounds[0];
  const { condition, timing, trigger, response } = sentence;
  if (condition === "none" && timing === "always") return always(implies(bound, response));
  if (condition === "none" && timing === "never") return always(implies(bound, not(response)));
  const duty = timed(sentence, not(bound));
  const starts = trigger ? and(bound, trigger) : bound;
  if (condition === "whenever") return always(implies(starts, duty));
  return upon(starts, duty, null, false);
}

function onSegment(sentence, end, mayBeEmpty) {
  const duty = timed(sentence, end);
  if (sentence.condition === "none") {
    return mayBeEmpty ? unlessEmpty(duty, sentence.timing, end) : duty;
  }
  if (sentence.condition === "whenever") return throughout(implies(sentence.trigger, duty), end);
  return upon(sentence.trigger, duty, end, mayBeEmpty);
}

const throughout = (f, end) => (end ? weakUntil(f, end) : always(f));
const still = (f, end) => (end ? and(f, not(end)) : f);
const weakly = (a, b, end) => weakUntil(a, end ? or(b, end) : b);

function upon(trigger, duty, end, mayBeEmpty) {
  const later = implies(still(trigger, end), duty);
  const first = mayBeEmpty ? later : implies(trigger, duty);
  return and(first, throughout(implies(not(trigger), weakNext(later)), end));
}

function unlessEmpty(duty, timing, end) {
  if (["immediately", "next", "within"].includes(timing)) return and(not(end), duty);
  return timing === "for" ? or(end, duty) : duty;
}

function timed({ timing, response, stop, steps }, end) {
  switch (timing) {
    case "always": return throughout(response, end);
    case "never": return throughout(not(response), end);
    case "immediately": return response;
    case "next": return next(still(response, end));
    case "eventually":
      return end ? until(not(end), still(response, end)) : eventually(response);
    case "until": return weakly(response, stop, end);
    case "before": return weakly(not(stop), and(response, not(stop)), end);
    default: return counted(timing, response, steps, end);
  }
}

function counted(timing, response, steps, end) {
  let duty = response;
  for (let i = 0; i < steps; i++) {
    duty = timing === "within"
      ? or(response, next(still(duty, end)))
      : and(response, weakNext(end ? or(end, duty) : duty));
  }
  return duty;
}

const quoted = (name) => (RESERVED.has(name.split("(")[0].toLowerCase()) ? `\`${name}\`` : name);
const conditionText = (formula) => toText(formula, quoted);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function gridText({ scope, bounds, condition, trigger, timing, stop, steps, response }, component) {
  let text = "";
  if (bounds.length) text += `${scope} ${bounds.map(conditionText).join(" and ")}, `;
  if (trigger) text += `${condition} ${conditionText(trigger)}, `;
  const times = {
    next: "at the next step",
    until: stop && `until ${conditionText(stop)}`,
    before: stop && `before ${conditionText(stop)}`,
    within: `within ${steps} step${steps > 1 ? "s" : ""}`,
    for: `for ${steps} step${steps > 1 ? "s" : ""}`,
  };
  text += `the ${component} shall ${times[timing] || timing} satisfy ${conditionText(response)}.`;
  return capital(text);
}

// What a pattern says in English: a sentence of the grid where there is one.
function patternText(pattern, scope, parts, component) {
  const cell = {
    absence: { condition: "none", timing: "never", response: parts.p },
    existence: { condition: "none", timing: "eventually", response: parts.p },
    universality: { condition: "none", timing: "always", response: parts.p },
    response: {
      condition: "whenever", trigger: parts.p, timing: "eventually", response: parts.s,
    },
    precedence: { condition: "none", timing: "until", stop: parts.s, response: not(parts.p) },
    "mutual-exclusion": {
      condition: "none", timing: "never", response: parts.s && and(parts.p, parts.s),
    },
  }[pattern];
  const bounds = { global: [], before: [parts.r], after: [parts.q], between: [parts.q, parts.r] };
  if (cell && scope in bounds) {
    return gridText({ ...cell, scope, bounds: bounds[scope] }, component);
  }
  return nestedText(patternFormula(pattern, scope, parts));
}

// ---- nested readings -----------------------------------------------------------------------

const PHRASES = {
  globally: "it is always the case that",
  finally: "it is eventually the case that",
  not: "it is not the case that",
  next: "at the next step, which must exist,",
  "weak-next": "at the next step, if there is one,",
};
const STATIC = ["true", "false", "atom", "not", "and", "or"];

function isPlain(formula) {
  return STATIC.includes(formula.op) && formula.parts.every(isPlain);
}

function nestedText(formula) {
  const text = reading(formula);
  return (/^(it|at|if) /.test(text) && !isPlain(formula) ? capital(text) : text) + ".";
}

function reading(formula) {
  if (isPlain(formula)) return conditionText(formula);
  const [a, b] = formula.parts.map(group);
  switch (formula.op) {
    case "implies": return `if ${a} then ${b}`;
    case "iff": return `${a} if and only if ${b}`;
    case "and": case "or": return formula.parts.map(group).join(` ${formula.op} `);
    case "until": return `${a} until ${b}, which must come`;
    case "weak-until": return `${a} until ${b}, if that ever comes`;
    default: return `${PHRASES[formula.op]} ${a}`;
  }
}

function group(formula) {
  const inner = formula.op === "not" ? formula.parts[0] : formula;
  return inner.parts.length ? `(${reading(formula)})` : reading(formula);
}

// ---- example traces ------------------------------------------------------------------------

const MAX_ATOMS = 8;
const MAX_VECTORS = 4000;

// The distinct parts of a formula, parts before what holds them.
function compile(formula) {
  const numbers = new Map();
  const nodes = [];
  const visit = (f) => {
    const parts = f.parts.map(visit);
    const key = `${f.op} ${parts.join(" ")} ${f.name}`;
    if (!numbers.has(key)) {
      numbers.set(key, nodes.length);
      nodes.push({ op: f.op, parts, name: f.name });
    }
    return numbers.get(key);
  };
  visit(formula);
  return nodes;
}

// The truth of all nodes in a state, given that in the next state; null after the last one.
function truths(nodes, letter, after) {
  const now = new Uint8Array(nodes.length);
  nodes.forEach(({ op, parts, name }, i) => {
    const a = now[parts[0]];
    const b = now[parts[1]];
    const later = (atEnd) => (after ? after[i] : atEnd);
    switch (op) {
      case "true": now[i] = 1; break;
      case "false": now[i] = 0; break;
      case "atom": now[i] = letter.has(name) ? 1 : 0; break;
      case "not": now[i] = 1 - a; break;
      case "and": now[i] = parts.every((part) => now[part]) ? 1 : 0; break;
      case "or": now[i] = parts.some((part) => now[part]) ? 1 : 0; break;
      case "implies": now[i] = a ? b : 1; break;
      case "iff": now[i] = a === b ? 1 : 0; break;
      case "next": now[i] = after ? after[parts[0]] : 0; break;
      case "weak-next": now[i] = after ? after[parts[0]] : 1; break;
      case "finally": now[i] = a || later(0); break;
      case "globally": now[i] = a && later(1); break;
      case "until": now[i] = b || (a && later(0)); break;
      case "weak-until": now[i] = b || (a && later(1)); break;
      case "release": now[i] = b && (a || later(1)); break;
      default: now[i] = b && (a || later(0));
    }
  });
  return now;
}

// A shortest trace that satisfies the formula, built from its end; null if there is none, or
// none was found among the first few thousand.
function shortestTrace(formula, names) {
  const nodes = compile(formula);
  const letters = [];
  for (let bits = 0; bits < 1 << names.length; bits++) {
    letters.push(new Set(names.filter((_, i) => bits & (1 << i))));
  }
  const carried = nodes.map((node, i) => i).filter((i) => nodes.some((other, j) =>
    (["next", "weak-next"].includes(other.op) && other.parts[0] === i) ||
    (i === j && !["true", "false", "atom", "not", "and", "or", "implies", "iff", "next",
      "weak-next"].includes(other.op))));
  const seen = new Set();
  let border = [{ after: null, trace: [] }];
  while (border.length && seen.size < MAX_VECTORS) {
    const further = [];
    for (const { after, trace } of border) {
      for (const letter of letters) {
        const now = truths(nodes, letter, after);
        const longer = [letter, ...trace];
        if (now[nodes.length - 1]) return longer;
        const key = carried.map((i) => now[i]).join("");
        if (!seen.has(key)) {
          seen.add(key);
          further.push({ after: now, trace: longer });
        }
      }
    }
    border = further;
  }
  return null;
}

// A short trace with the formula that grants as many wishes as possible, the first ones first, and
// a shortest one without it.
function exampleTraces(formula, wishes = []) {
  const names = atomsOf(formula);
  if (names.length > MAX_ATOMS) return null;
  const both = names.flatMap((name) => [eventually(atom(name)), eventually(not(atom(name)))]);
  let granted = formula;
  let satisfying = shortestTrace(granted, names);
  for (const wish of satisfying ? [...wishes, ...both] : []) {
    const more = make("and", granted, wish);
    const trace = shortestTrace(more, names);
    if (trace) [granted, satisfying] = [more, trace];
  }
  return { names, satisfying, violating: shortestTrace(make("not", formula), names) };
}

// ---- rules and their file ------------------------------------------------------------------

const PATTERN_PARTS = {
  absence: ["p"], existence: ["p"], universality: ["p"], response: ["p", "s"],
  precedence: ["p", "s"], "bounded-existence": ["p"], "mutual-exclusion": ["p", "s"],
};
const SCOPE_PARTS = {
  global: [], before: ["r"], after: ["q"], between: ["q", "r"], "after-until": ["q", "r"],
  while: ["q"],
};

// The fields of conditions that a rule has, in the order in which it names them.
function partsOf(rule) {
  const scope = SCOPE_PARTS[rule.scope];
  if (rule.form === "pattern") return [...PATTERN_PARTS[rule.pattern], ...scope];
  const stop = ["until", "before"].includes(rule.timing) ? ["s"] : [];
  return [...scope, ...(rule.condition === "none" ? [] : ["c"]), ...stop, "p"];
}

function wholeNumber(text, least, most, name) {
  const number = /^\d{1,3}$/.test(String(text).trim()) ? Number(text) : -1;
  if (number < least || number > most) {
    throw new Error(`${name} is a whole number from ${least} to ${most}`);
  }
  return number;
}

// The conditions of a rule as formulas; an error names the field.
function readParts(rule) {
  const parts = {};
  const empty = partsOf(rule).filter((name) => !rule[name].trim());
  if (empty.length) throw new Error(`still to fill in: ${empty.join(", ")}`);
  for (const name of partsOf(rule)) {
    try {
      parts[name] = parseCondition(rule[name]);
    } catch (error) {
      throw Object.assign(new Error(`${name}: ${error.message}`), { field: name });
    }
  }
  if (rule.form === "pattern" && rule.pattern === "bounded-existence") {
    parts.k = wholeNumber(rule.k, 0, MAX_BOUND, "k");
  }
  return parts;
}

// Formula and sentence of a rule, and what a trace that satisfies it should show.
function understand(rule) {
  const parts = readParts(rule);
  const component = (rule.component || "").trim() || "system";
  if (!new RegExp(`^${NAME}(\\s+${NAME})*$`).test(component) || /\bshall\b/i.test(component)) {
    throw new Error("the component is one or more words of letters, digits, _ and -");
  }
  if (rule.form === "pattern") {
    // What a reader wants to see in a segment: something, or what the pattern is about.
    const shown = rule.pattern === "absence" ? [TRUE] : Object.values({ ...parts, k: TRUE });
    return {
      parts,
      formula: patternFormula(rule.pattern, rule.scope, parts),
      sentence: patternText(rule.pattern, rule.scope, parts, component),
      wishes: shown.map((p) => make("not", patternFormula("absence", rule.scope, { ...parts, p }))),
    };
  }
  const counts = ["within", "for"].includes(rule.timing);
  const sentence = {
    scope: rule.scope,
    bounds: SCOPE_PARTS[rule.scope].map((name) => parts[name]),
    condition: rule.condition,
    trigger: parts.c,
    timing: rule.timing,
    stop: parts.s,
    steps: counts ? wholeNumber(rule.steps, 1, MAX_STEPS, "the number of steps") : 0,
    response: parts.p,
  };
  const untriggered = gridFormula({ ...sentence, timing: "never", response: TRUE });
  return {
    parts,
    formula: gridFormula(sentence),
    sentence: gridText(sentence, component),
    wishes: [make("not", untriggered)],
  };
}

function tomlString(text) {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g, (sign) =>
    `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escaped}"`;
}

function tomlTable(kind, entries) {
  const width = Math.max(...entries.map(([key]) => key.length));
  const lines = entries.map(([key, value]) => `${key.padEnd(width)} = ${value}`);
  return [`[[${kind}]]`, ...lines].join("\n") + "\n";
}

function ruleToml(rule) {
  const { parts, sentence } = understand(rule);
  const entries = [["id", tomlString(rule.id.trim())], ["kind", tomlString(rule.kind)]];
  if (rule.forall.trim()) entries.push(["forall", tomlString(rule.forall.trim())]);
  if (rule.form === "english") entries.push(["english", tomlString(sentence)]);
  else {
    entries.push(["pattern", tomlString(rule.pattern)]);
    for (const name of PATTERN_PARTS[rule.pattern]) {
      entries.push([name, tomlString(toText(parts[name]))]);
    }
    if ("k" in parts) entries.push(["k", String(parts.k)]);
    entries.push(["scope", tomlString(rule.scope)]);
    for (const name of SCOPE_PARTS[rule.scope]) {
      entries.push([name, tomlString(toText(parts[name]))]);
    }
  }
  if (rule.note.trim()) entries.push(["note", tomlString(rule.note.trim())]);
  return tomlTable("rule", entries);
}

function fileText(atoms, rules) {
  const declared = atoms.map(({ name, is }) => tomlTable("atom", [
    ["name", tomlString(name.trim())], ["is", tomlString(is.trim())],
  ]));
  return ["format = 1\n", ...declared, ...rules.map(ruleToml)].join("");
}
