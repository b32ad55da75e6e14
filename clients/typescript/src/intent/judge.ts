// What a publisher sends, held against the protocol, its request and its declaration.
import { word } from '../answer.js'
import type { components } from '../generated/openapi.js'
import { isObject, members } from '../transport.js'
import type { Whole } from '../transport.js'
import { Failed } from './errors.js'

type Schemas = components['schemas']
export type Declaration = Schemas['IntentDeclaration']
export type RetrieveRequest = Schemas['IntentRequest']
export type RetrieveResponse = Schemas['IntentResponse']
export type IntentEvent = Schemas['IntentEvent']

/**
 * failed reads an error that is not in the protocol's best form; undefined for a status of success.
 */
export function failed(got: Whole): Failed | undefined {
  if (got.status < 400) return undefined
  const told = members(got.bytes)
  const about = { status: got.status, retryAfter: got.retryAfter, raw: told }
  const error = isObject(told?.error) ? told.error : {}
  return new Failed(word(error.code) || `http_${got.status}`, word(error.message), about)
}

/** declared says what keeps a declaration from being one; empty for nothing. */
export function declared(d: Record<string, unknown> | undefined, secured: boolean): string {
  if (!d) return 'it is no JSON object'
  if (d.aip_version !== '0.1' && d.aip_version !== '1.0') return 'aip_version is neither 0.1 nor 1.0'
  const { publisher, intent_access: access, retrieval, compliance, endpoints } = d
  if (!isObject(publisher) || !word(publisher.id) || !word(publisher.domain)) return 'publisher has no id or no domain'
  if (
    !isObject(access) ||
    typeof access.enabled !== 'boolean' ||
    access.mode !== 'live_only' ||
    access.storage_rights !== 'none'
  )
    return 'intent_access is not that of the protocol'
  if (!Array.isArray(d.editorial_domains)) return 'editorial_domains is missing'
  if (!isObject(retrieval) || !isObject(retrieval.supports)) return 'retrieval.supports is missing'
  if (!isObject(compliance)) return 'compliance is missing'
  for (const [name, endpoint] of Object.entries(isObject(endpoints) ? endpoints : {})) {
    if (!isObject(endpoint) || !/^https?:\/\//i.test(word(endpoint.url))) return `endpoints.${name} has no web address`
    if (secured && !/^https:/i.test(word(endpoint.url)))
      return `endpoints.${name} is not secured, though the declaration came by https`
  }
  return ''
}

/** judge says what keeps an answer from being one to this request; empty for nothing. */
export function judge(
  answer: RetrieveResponse | undefined,
  request: RetrieveRequest,
  declaration: Declaration,
): string {
  if (!answer) return 'it is no JSON object'
  if (answer.request_id !== request.request_id) return 'request_id is not that of the request'
  if (answer.aip_version !== request.aip_version) return 'aip_version is not that of the request'
  if (Number.isNaN(Date.parse(answer.timestamp))) return 'timestamp is no time'
  const parts = { ok: answer.content, denied: answer.denial, error: answer.error }
  if (!(answer.status in parts)) return `status "${answer.status}" is none of the protocol's`
  for (const [status, part] of Object.entries(parts)) {
    if ((status === answer.status) !== isObject(part))
      return `status is "${answer.status}", and the parts beside it say otherwise`
  }
  if (answer.denial && !word(answer.denial.reason)) return 'denial has no reason'
  if (answer.error && !word(answer.error.code)) return 'error has no code'
  if (!answer.content) return answer.citations ? 'citations stand without content' : ''
  const { chunks } = answer.content
  if (
    !Array.isArray(chunks) ||
    !chunks.every((chunk) => isObject(chunk) && word(chunk.id) && typeof chunk.text === 'string')
  )
    return 'a passage has no id or no text'
  const {
    supports,
    max_chunks: most,
    max_tokens: tokens,
  } = declaration.retrieval as {
    supports: { chunks?: boolean; citations?: boolean }
    max_chunks?: number
    max_tokens?: number
  }
  if (!supports.chunks) return 'passages come although the declaration gives none'
  if (most && chunks.length > most)
    return `there are ${chunks.length} passages, and the declaration has at most ${most}`
  if (tokens && chunks.reduce((sum, chunk) => sum + (chunk.token_count ?? 0), 0) > tokens)
    return `there are more than the ${tokens} tokens of the declaration`
  const ids = new Set(chunks.map((chunk) => chunk.id))
  for (const citation of answer.citations ?? []) {
    if (!isObject(citation) || !word(citation.source_url)) return 'a citation has no source_url'
    if ((citation.chunk_ids ?? []).some((id) => !ids.has(id))) return 'a citation names a passage that is not there'
  }
  return ''
}
