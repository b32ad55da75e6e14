// Signatures of RAMP as an agent in another language makes and verifies them.
import { createHash, createPrivateKey, createPublicKey, randomUUID, sign, verify } from 'node:crypto'

// canonical is RFC 8785 of a value of JSON: numbers and strings are ECMAScript's own.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

// The agent's key: the seed bytes 0 to 31, as in the protocol's worked values.
const seed = Buffer.from([...Array(32).keys()])
export const agentKey = createPrivateKey({ key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]), format: 'der', type: 'pkcs8' })
export const agentPublic = createPublicKey(agentKey).export({ format: 'der', type: 'spki' }).toString('base64')

// signedRequester gives a requester with the signature over its four members.
export function signedRequester(requester) {
  const { domain, id, scopes = [], uris = [] } = requester
  const signature = sign(null, Buffer.from(canonical({ domain, id, scopes, uris })), agentKey).toString('base64')
  return { ...requester, signature, signature_algorithm: 'ed25519' }
}

// signedHeaders are those of an HTTP request that is signed as a whole (RFC 9421, RFC 9530), for an agent of a domain.
export function signedHeaders(domain, url, body, at = Math.floor(Date.now() / 1000)) {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const input = `("@method" "@target-uri" "content-digest");created=${at};expires=${at + 300};nonce="${randomUUID()}";keyid="${domain}";alg="ed25519"`
  const base = `"@method": POST\n"@target-uri": ${url}\n"content-digest": ${digest}\n"@signature-params": ${input}`
  const signature = sign(null, Buffer.from(base), agentKey).toString('base64')
  return { 'Content-Digest': digest, 'Signature-Input': `agent=${input}`, Signature: `agent=:${signature}:` }
}

// offerIsGood verifies an offer, as its JSON has it, with the keys of the Exchange.
export function offerIsGood(offer, keys) {
  const { exchange_signature, ...signed } = offer
  return keys.some((key) =>
    verify(null, Buffer.from(canonical(signed)), createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' }), Buffer.from(exchange_signature, 'base64')))
}

export const sha256 = (data) => createHash('sha256').update(data).digest('hex')
