// Tokens and authorizers made up from a seed: every kind of statement, value and operation, mostly of types that fit.

// dice is a small generator of numbers, the same for the same seed (mulberry32).
export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { below, chance: (p) => next() < p, of: (list) => list[below(list.length)] };
}

const scalars = ['integer', 'string', 'date', 'bytes', 'bool'];
const types = [...scalars, 'null', 'set', 'array', 'map'];

// constant writes a value of a type.
export function constant(d, type, depth = 0) {
  switch (type) {
    case 'integer': return String(d.of([0, 1, 2, 3, -1, 7, 100, '9223372036854775807', '-9223372036854775808']));
    case 'string': return JSON.stringify(d.of(['', 'a', 'ab', 'abc', 'b', 'file', 'read', 'é', 'a"b', 'x.y']));
    case 'date': return d.of(['1970-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2030-06-01T12:30:00+02:00', '2026-11-22T16:00:00Z']);
    case 'bytes': return d.of(['hex:', 'hex:00', 'hex:00ff', 'hex:abcd']).replace(/^hex:$/, 'hex:01');
    case 'bool': return d.of(['true', 'false']);
    case 'null': return 'null';
    case 'set': {
      const inner = d.of(scalars);
      const n = d.below(4);
      if (n === 1) { // {true} and {hex:00} alone would be names of parameters to the library
        const only = constant(d, inner);
        return `{${only}, ${only}}`;
      }
      return n === 0 ? '{,}' : '{' + Array.from({ length: n }, () => constant(d, inner)).join(', ') + '}';
    }
    case 'array':
      return '[' + Array.from({ length: d.below(4) }, () => constant(d, depth > 1 ? d.of(scalars) : d.of(types), depth + 1)).join(', ') + ']';
    case 'map': {
      const entries = Array.from({ length: 1 + d.below(2) }, () => constant(d, d.of(['integer', 'string'])) + ': ' + constant(d, depth > 1 ? d.of(scalars) : d.of(types), depth + 1));
      return '{' + entries.join(', ') + '}';
    }
  }
}

// The predicates of a made-up world have terms of fixed types, so that expressions over them mostly fit.
const relations = {
  n: ['integer'], s: ['string'], d: ['date'], b: ['bool'], y: ['bytes'], set: ['set'], arr: ['array'], map: ['map'],
  pair: ['integer', 'integer'], named: ['string', 'integer'], right: ['string', 'string'], any: [null], time: ['date'], resource: ['string'],
};
const names = Object.keys(relations);

const fact = (d) => {
  const name = d.of(names);
  return `${name}(${relations[name].map((t) => constant(d, t ?? d.of(types))).join(', ')})`;
};

// expression writes one that gives a type, over variables by their types.
export function expression(d, type, variables, depth) {
  if (d.chance(0.03)) type = d.of(types);
  const of = (t, more = variables) => expression(d, t, more, depth - 1);
  const fitting = Object.keys(variables).filter((v) => variables[v] === type);
  if (depth <= 0 || d.chance(0.2)) {
    return fitting.length > 0 && d.chance(0.7) ? '$' + d.of(fitting) : constant(d, type);
  }
  if (d.chance(0.1)) return `(${of(type)})`;
  if (d.chance(0.05)) return `(${of(type)}).try_or(${of(type)})`;
  const infix = (t, ops) => `(${of(t)}) ${d.of(ops)} (${of(t)})`;
  switch (type) {
    case 'integer':
      return d.of([
        () => infix('integer', ['+', '-', '*', '/', '&', '|', '^']),
        () => `${constant(d, 'integer')} ${d.of(['+', '-', '*', '/', '&', '|', '^'])} ${constant(d, 'integer')} ${d.of(['+', '-', '*', '&', '|', '^'])} ${constant(d, 'integer')}`,
        () => `(${of(d.of(['string', 'bytes', 'set', 'array', 'map']))}).length()`,
      ])();
    case 'string':
      return d.of([() => infix('string', ['+']), () => `(${of(d.of(types))}).type()`])();
    case 'set':
      return `(${of('set')}).${d.of(['union', 'intersection'])}(${of('set')})`;
    case 'bool': {
      const fresh = 'p' + Object.keys(variables).length;
      const element = d.of(scalars);
      const closed = { ...variables, [fresh]: element };
      const t = d.of(types);
      return d.of([
        () => infix(d.of(['integer', 'date']), ['<', '>', '<=', '>=']),
        () => infix(t, ['==', '!=', '===', '!==']),
        () => `(${of(t)}) ${d.of(['==', '!='])} (${of(d.of(types))})`,
        () => `!(${of('bool')})`,
        () => `(${of('bool')}) ${d.of(['&&', '||'])} (${of('bool')})`,
        () => `${of('bool')} ${d.of(['&&', '||'])} ${of('bool')}`,
        () => `(${of('string')}).${d.of(['starts_with', 'ends_with', 'contains'])}(${of('string')})`,
        () => `(${of('string')}).matches(${JSON.stringify(d.of(['a', '^a', 'b$', '[a-c]+', '.*', 'a|b', '^$', '(a)(b)?', 'x\\.y'.replace('\\.', '.')]))})`,
        () => `(${of('set')}).contains(${of(d.of([...scalars, 'set', 'null']))})`,
        () => `(${of('array')}).${d.of(['contains', 'starts_with', 'ends_with'])}(${of(d.of(['array', t]))})`,
        () => `(${of('map')}).contains(${of(d.of(['integer', 'string', t]))})`,
        () => `(${of('array')}).get(${d.of(['0', '1', '-1', '5'])}) == (${of(t)})`,
        () => `(${of('map')}).get(${of(d.of(['integer', 'string']))}) != (${of(t)})`,
        () => `{${constant(d, element)}, ${constant(d, element)}}.${d.of(['any', 'all'])}($${fresh} -> ${expression(d, 'bool', closed, depth - 1)})`,
        () => `(${of('array')}).${d.of(['any', 'all'])}($${fresh} -> $${fresh} == (${of(t, { ...variables, [fresh]: 'any' })}))`,
        () => `(${of('map')}).${d.of(['any', 'all'])}($${fresh} -> $${fresh}.get(1) == (${of(t, { ...variables, [fresh]: 'any' })}))`,
      ])();
    }
  }
  return fitting.length > 0 ? '$' + d.of(fitting) : constant(d, type);
}

// body writes predicates and expressions, and says which variables it binds.
function body(d, keys, authorizer) {
  const variables = {};
  const parts = [];
  for (let i = d.of([0, 1, 1, 2, 2, 3]); i > 0; i--) {
    const name = d.of(names);
    const terms = relations[name].map((type) => {
      if (d.chance(0.15)) return constant(d, type ?? d.of(types));
      const known = Object.keys(variables).filter((v) => variables[v] === type);
      const variable = known.length > 0 && d.chance(0.4) ? d.of(known) : 'v' + Object.keys(variables).length;
      variables[variable] ??= type ?? 'any';
      return '$' + variable;
    });
    parts.push(`${name}(${terms.join(', ')})`);
  }
  for (let i = parts.length === 0 ? 1 : d.of([0, 0, 1, 2]); i > 0; i--) parts.push(expression(d, 'bool', variables, 3));
  let text = parts.join(', ');
  if (d.chance(0.2)) text += ' trusting ' + trusted(d, keys, authorizer);
  return { text, variables };
}

const trusted = (d, keys, authorizer) => {
  const all = [...keys, 'authority', ...(authorizer ? [] : ['previous'])];
  return Array.from({ length: 1 + d.below(2) }, () => d.of(all)).join(', ');
};

function statement(d, keys, authorizer) {
  const kind = d.of([...Array(9).fill('fact'), 'rule', 'rule', 'check if', 'check if', 'check all', 'reject if']);
  if (kind === 'fact') return fact(d);
  if (kind === 'rule') {
    const { text, variables } = body(d, keys, authorizer);
    const name = d.of(names);
    const terms = relations[name].map((type) => {
      const fitting = Object.keys(variables).filter((v) => variables[v] === type || type === null);
      return fitting.length > 0 && d.chance(0.8) ? '$' + d.of(fitting) : constant(d, type ?? d.of(types));
    });
    return `${name}(${terms.join(', ')}) <- ${text}`;
  }
  // With several queries the library lets reject if pass when one of them does not match; the specification does not.
  const queries = Array.from({ length: kind === 'reject if' ? 1 : d.of([1, 1, 2]) }, () => body(d, keys, authorizer).text);
  return `${kind} ${queries.join(' or ')}`;
}

// made is a token's blocks and an authorizer. Keys are those of third parties, as Datalog spells them: a block may be theirs,
// { code, by }, by the number of the key.
export function made(seed, keys) {
  const d = dice(seed);
  const lines = (n, authorizer) => Array.from({ length: n }, () => statement(d, keys, authorizer) + ';\n').join('');
  const blocks = [lines(d.below(9), false)];
  for (let i = d.of([0, 1, 1, 2, 3]); i > 0; i--) {
    const code = lines(1 + d.below(4), false);
    blocks.push(d.chance(0.3) ? { code, by: d.below(keys.length) } : { code });
  }
  let authorizer = lines(d.below(9), true);
  if (d.chance(0.3)) authorizer += `${d.of(['allow', 'deny'])} if ${body(d, keys, true).text};\n`;
  return { blocks, authorizer: authorizer + d.of(['allow if true;', 'allow if true;', 'allow if true;', 'deny if true;']) };
}
