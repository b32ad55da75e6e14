// Content hashes of RAMP v1: sha256 and simhash-v1, as docs/content-hashes.md has them to the bit.
import { hex, sha256, utf8 } from '../sign.js'

/** ContentHash is a hash of content as an offer tells it. */
export interface ContentHash {
  method: 'sha256' | 'simhash-v1'
  /** In hexadecimal, in lower case. */
  digits: string
}

/** near is in how many bits two SimHashes of nearly the same text may differ. */
const near = 10

const forms = { sha256: /^[0-9a-f]{64}$/, 'simhash-v1': /^[0-9a-f]{16}$/ }

/** hashOf reads "method:hex", or hex with its method beside it; undefined for what is none. */
export function hashOf(text: string | undefined, beside: string | undefined): ContentHash | undefined {
  if (!text) return undefined
  const parts = text.toLowerCase().split(':')
  const named = (name: string) => (name === 'sha-256' ? 'sha256' : name)
  const method = named((parts.length > 1 ? parts[0] : beside?.toLowerCase()) || 'sha256')
  const digits = parts.at(-1) ?? ''
  if (parts.length > 2 || (beside && named(beside.toLowerCase()) !== method)) return undefined
  if (method !== 'sha256' && method !== 'simhash-v1') return undefined
  return forms[method].test(digits) ? { method, digits } : undefined
}

/** holds says whether content is, by a hash, what it was said to be. */
export async function holds(hash: ContentHash, content: Uint8Array<ArrayBuffer>): Promise<boolean> {
  if (hash.method === 'sha256') return hash.digits === hex(await sha256(content))
  let apart = BigInt(`0x${hash.digits}`) ^ BigInt(`0x${await simhash(content)}`)
  let bits = 0
  for (; apart > 0n; apart >>= 1n) bits += Number(apart & 1n)
  return bits <= near
}

const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const alone = new RegExp(`[${scripts.map((name) => `\\p{Script=${name}}`).join('')}]`, 'u')
const inWord = /[\p{L}\p{M}\p{N}]/u
const run = 3
const together = 512

/** simhash is the simhash-v1 of a text. */
export async function simhash(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const words = wordsOf(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content))
  const features = Math.max(words.length - run + 1, Math.min(words.length, 1))
  const counts = new Array<number>(64).fill(0)
  for (let begin = 0; begin < features; begin += together) {
    const some = Array.from({ length: Math.min(together, features - begin) }, (_, i) =>
      sha256(utf8(words.slice(begin + i, begin + i + run).join(' '))),
    )
    for (const sum of await Promise.all(some)) {
      for (let bit = 0; bit < 64; bit++) counts[bit]! += ((sum[7 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1
    }
  }
  const value = counts.reduce((all, n, bit) => (2 * n > features ? all | (1n << BigInt(bit)) : all), 0n)
  return value.toString(16).padStart(16, '0')
}

/** wordsOf are the words of a text in lower case; those of scripts without blanks are characters. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let current = ''
  const end = () => {
    if (current) words.push(current)
    current = ''
  }
  for (const character of text) {
    if (!inWord.test(character)) {
      end()
      continue
    }
    const [lower = character] = character.toLowerCase() // the simple mapping: one for one
    if (alone.test(character)) {
      end()
      words.push(lower)
    } else current += lower
  }
  end()
  return words
}
