// The official library, loaded by hand: its package wants a loader for WebAssembly that Node has behind a flag.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(dirname(createRequire(import.meta.url).resolve.paths('x')[0]), 'node_modules/@biscuit-auth/biscuit-wasm/module');
const module = await WebAssembly.compile(await readFile(join(folder, 'biscuit_bg.wasm')));
const imports = {};
for (const { module: name } of WebAssembly.Module.imports(module)) {
  imports[name] ??= await import(pathToFileURL(join(folder, name)));
}
const glue = imports['./biscuit_bg.js'];
const { exports } = await WebAssembly.instantiate(module, imports);
glue.__wbg_set_wasm(exports);
const say = console.log; // it greets on standard output
console.log = () => {};
exports.__wbindgen_start();
console.log = say;

export const oracle = glue;
export const { Ed25519, Secp256r1 } = glue.SignatureAlgorithm;
export const limits = { max_facts: 1000, max_iterations: 100, max_time_micro: 5_000_000 };
export const slow = '{"RunLimit":"Timeout"}'; // which comes after about a millisecond, whatever the limit says

// failure is what an error of the library says, as text.
export const failure = (error) => (error instanceof Error ? String(error.stack) : JSON.stringify(error));

// authorize holds a token against the code of an authorizer: { allowed }, { failed, policy } or { error }.
export function authorize(token, code) {
  let said;
  for (let tries = 0; tries < 100; tries++) {
    said = authorizeOnce(token, code);
    if (said.error !== slow) break;
  }
  return said;
}

function authorizeOnce(token, code) {
  try {
    const builder = new glue.AuthorizerBuilder();
    builder.addCode(code);
    builder.buildAuthenticated(token).authorizeWithLimits(limits);
    return { allowed: true };
  } catch (error) {
    const logic = error?.FailedLogic?.Unauthorized ?? error?.FailedLogic?.NoMatchingPolicy;
    if (!logic) return { allowed: false, error: failure(error) };
    const policy = Boolean(error.FailedLogic.NoMatchingPolicy) || logic.policy?.Deny !== undefined;
    const failed = logic.checks.map((c) => (c.Authorizer ? [-1, c.Authorizer.check_id] : [c.Block.block_id, c.Block.check_id]));
    return { allowed: false, failed: failed.sort(order), policy };
  }
}

export const order = (a, b) => a[0] - b[0] || a[1] - b[1];

// token builds a token of the library out of Datalog, block by block. A block is code, or { code, key } of a third party.
export function build(key, blocks) {
  const builder = new glue.BiscuitBuilder();
  builder.addCode(blocks[0]);
  let token = builder.build(key.getPrivateKey());
  for (const block of blocks.slice(1)) token = append(token, block);
  return token;
}

export function append(token, block) {
  const more = new glue.BlockBuilder();
  more.addCode(block.code ?? block);
  if (!block.key) return token.appendBlock(more);
  const signed = token.getThirdPartyRequest().createBlock(block.key.getPrivateKey(), more);
  return token.appendThirdPartyBlock(block.key.getPublicKey(), signed);
}

export const newKey = (algorithm = Ed25519) => new glue.KeyPair(algorithm);
