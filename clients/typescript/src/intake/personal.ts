// What looks personal in data.
import { personalNames } from '../generated/personal.js'
import { pointer } from '../schema.js'
import { isObject } from '../transport.js'

// A number with a country's before it, one that begins with 00, and one in the American form.
const phones = [
  /(?:^|[^\w+])\+\d{1,3}(?:[ .\-/]?\(?\d\)?){6,13}(?:\D|$)/,
  /(?:^|[^\w.\-+])00[1-9](?:[ .\-/]?\d){8,12}(?:[^\w.-]|$)/,
  /(?:^|[^\w.\-+])\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[ .-]\d{4}(?:[^\w.-]|$)/,
]
const homePhone = /(?:^|[^\w.\-+])\(?0[1-9]\d{0,4}\)?[ /-](?:\d[ \-/]?){4,9}\d(?:[^\w.\-:]|$)/g
const day = /\b\d\d([/\- ])\d\d[/\- ]\d{4}\b/

/**
 * personalIn are the pointers of what looks personal in data: e-mail addresses, phone numbers, and
 * members of such names.
 */
export function personalIn(value: unknown, at = ''): string[] {
  if (typeof value === 'string') {
    const home = value.match(homePhone)?.some((each) => !day.test(each)) ?? false
    return hasMail(value) || phones.some((phone) => phone.test(value)) || home ? [at] : []
  }
  if (Array.isArray(value)) return value.flatMap((each, i) => personalIn(each, pointer(at, i)))
  if (!isObject(value)) return []
  return Object.keys(value)
    .sort()
    .flatMap((name) => (personalName(name) ? [pointer(at, name)] : personalIn(value[name], pointer(at, name))))
}

function personalName(name: string): boolean {
  const words = name
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{L})(?=\p{N})/gu, '$1$2 ')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const joined = ` ${words.join(' ')} `
  return (
    personalNames.phrases.some((phrase) => joined.includes(` ${phrase} `)) ||
    (words.length === 1 && personalNames.whole.includes(words[0] ?? '')) ||
    personalNames.parts.some((part) => name.includes(part))
  )
}

/** hasMail says whether a text holds an e-mail address. It takes as long as the text is. */
function hasMail(value: string): boolean {
  return value.split(/[\s<>"'(),;:]+/).some((token) => {
    const parts = token.split('@')
    return parts.some((part, i) => part !== '' && /^[^.]+\.[^.]/.test(parts[i + 1] ?? ''))
  })
}
