// Receipts of a front desk's ledger: whoever has its public keys can verify them years later,
// without a connection.
import { FrontdeskError } from './errors.js'
import { base64, canonical, publicBytes, sha256, unbase64, utf8, verify } from './sign.js'
import { isObject, members } from './transport.js'

/** Entry is one fact of a ledger. */
export interface Entry {
  v: number
  id: string
  time: string
  site: string
  kind: string
  party: string
  subject: string
  request: string
  body: Record<string, unknown>
}

/** Receipt shows that an entry stands in a ledger. */
export interface Receipt {
  entry: Entry
  index: number
  proof: string[]
  checkpoint: string
}

/** Checkpoint says what a ledger held at one moment. */
export interface Checkpoint {
  /** The ledger's name. */
  origin: string
  /** How many entries it has. */
  size: number
  /** The root of the tree over them, in base64. */
  root: string
}

/** NotTrue is a receipt that does not hold; the message says which part. */
export class NotTrue extends FrontdeskError {
  override name = 'NotTrue'
  constructor(message: string) {
    super('NOT_TRUE', message)
  }
}

const maxProof = 64
const maxCheckpoint = 16 << 10
const texts = ['id', 'time', 'site', 'kind', 'party', 'subject', 'request'] as const

/**
 * parseReceipt reads a receipt, and refuses what is none. It does not say whether it is true: see
 * verifyReceipt.
 */
export function parseReceipt(from: string | unknown): Receipt {
  const value = typeof from === 'string' ? members(from) : from
  const wrong = (what: string) => new NotTrue(`this is no receipt: ${what}`)
  if (!isObject(value)) throw wrong('it is no JSON object')
  const { entry, index, proof, checkpoint, ...others } = value
  if (Object.keys(others).length > 0)
    throw wrong(`it has "${Object.keys(others)[0]}" beside entry, index, proof and checkpoint`)
  if (!isObject(entry) || typeof checkpoint !== 'string')
    throw wrong('it needs an entry, an index, a proof and a checkpoint')
  const { v, body, ...named } = entry
  if (v !== 1 || !isObject(body)) throw wrong('the version or the body of its entry is not known')
  if (Object.keys(named).length !== texts.length || !texts.every((name) => typeof named[name] === 'string'))
    throw wrong('its entry has other members than an entry')
  if (!exact(body)) throw wrong('a number in its entry has more digits than every reader keeps')
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) throw wrong('its index is none')
  if (
    !Array.isArray(proof) ||
    proof.length > maxProof ||
    !proof.every((hash) => typeof hash === 'string' && hashBytes(hash))
  )
    throw wrong('its proof is none')
  return value as unknown as Receipt
}

/** exact says whether all whole numbers of a value are kept by every reader. */
function exact(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Math.abs(value) < 2 ** 53
  return typeof value !== 'object' || value === null || Object.values(value).every(exact)
}

function hashBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = unbase64(text)
  return bytes?.length === 32 && base64(bytes) === text ? bytes : undefined
}

/**
 * verifyReceipt holds that one of the keys has signed the checkpoint of a receipt, and that the
 * entry stands in its ledger. Keys are a JWKS (/.well-known/jwks.json), as text or object, or lines
 * ORIGIN+HASH+KEY. It throws NotTrue.
 */
export async function verifyReceipt(receipt: Receipt | string, keys: string | object): Promise<Checkpoint> {
  const r = parseReceipt(receipt)
  const checkpoint = await openCheckpoint(r.checkpoint, keysOf(keys))
  if (r.index >= checkpoint.size)
    throw new NotTrue(`the receipt is for entry ${r.index}, and its checkpoint for ${checkpoint.size} entries`)
  const root = await rootOf(await sha256(joinedBytes([0], utf8(canonical(r.entry)))), r.index, checkpoint.size, r.proof)
  if (root !== checkpoint.root) {
    throw new NotTrue(
      'the entry was changed, or its index or proof was: they do not lead to the ledger that the checkpoint signs ' +
        `(${checkpoint.size} entries)`,
    )
  }
  return checkpoint
}

/**
 * rootOf leads from a leaf up to the root (RFC 9162 §2.1.3.2); empty where the proof has another
 * length.
 */
async function rootOf(leaf: Uint8Array<ArrayBuffer>, index: number, size: number, proof: string[]): Promise<string> {
  let node = index
  let last = size - 1
  let hash = leaf
  for (const text of proof) {
    const beside = hashBytes(text)
    if (!beside || last === 0) return ''
    if (node % 2 === 1 || node === last) {
      hash = await sha256(joinedBytes([1], beside, hash))
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else {
      hash = await sha256(joinedBytes([1], hash, beside))
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? base64(hash) : ''
}

function joinedBytes(...parts: (number[] | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

/** A public key with which a ledger signs; without origin it is for any. */
interface LedgerKey {
  origin?: string
  bytes: Uint8Array<ArrayBuffer>
}

/** keysOf reads public keys of Ed25519; others are passed over. */
function keysOf(from: string | object): LedgerKey[] {
  const set = typeof from === 'string' ? members(from) : from
  const keys: LedgerKey[] = []
  if (isObject(set)) {
    for (const key of Array.isArray(set.keys) ? set.keys : [set]) {
      const bytes =
        isObject(key) && key.kty === 'OKP' && key.crv === 'Ed25519' && key.use !== 'enc' && typeof key.x === 'string'
          ? publicBytes(key.x)
          : undefined
      if (bytes) keys.push({ bytes })
    }
  } else if (typeof from === 'string') {
    for (const line of from.split('\n')) {
      const [origin, , data] = line.trim().split('+')
      const bytes = data === undefined ? undefined : unbase64(line.trim().split('+').slice(2).join('+'))
      if (origin && bytes?.length === 33 && bytes[0] === 1) keys.push({ origin, bytes: bytes.slice(1) })
    }
  }
  if (keys.length === 0)
    throw new NotTrue(
      'there is no public key for Ed25519 in what was given; give the JWKS of the front desk (/.well-known/jwks.json)',
    )
  return keys
}

/**
 * openCheckpoint reads a signed checkpoint (C2SP tlog-checkpoint and signed-note) that one of the
 * keys has signed.
 */
async function openCheckpoint(signed: string, keys: LedgerKey[]): Promise<Checkpoint> {
  const at = signed.indexOf('\n\n')
  const wrong = (what: string) => new NotTrue(`this is no checkpoint: ${what}`)
  if (at < 0 || signed.length > maxCheckpoint || !signed.endsWith('\n')) throw wrong('it has no signatures')
  const text = signed.slice(0, at + 1)
  const [origin = '', count = '', root = '', ...rest] = text.split('\n')
  if (!/^[!-*,-~]{1,255}$/.test(origin) || !/^(0|[1-9]\d{0,15})$/.test(count) || !hashBytes(root) || rest.length < 1) {
    throw wrong('it needs the name of the ledger, the number of entries and the hash')
  }
  let known = false
  for (const line of signed.slice(at + 2, -1).split('\n')) {
    const [, name, data] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = data === undefined ? undefined : unbase64(data)
    if (!bytes || bytes.length < 5) throw wrong('a signature cannot be read')
    for (const key of keys) {
      if (name !== origin || (key.origin && key.origin !== origin)) continue
      const hash = await sha256(joinedBytes(utf8(`${origin}\n`), [1], key.bytes))
      if (![0, 1, 2, 3].every((i) => hash[i] === bytes[i])) continue
      if (!(await verify(key.bytes, utf8(text), bytes.slice(4))))
        throw new NotTrue('the checkpoint was changed, or its signature was')
      known = true
    }
  }
  if (!known) throw new NotTrue(`the checkpoint of ${origin} is signed by none of the given keys`)
  return { origin, size: Number(count), root }
}
