// Server-sent events, as the HTML standard has them.
import { Broken } from './errors.js'
import type { Reply } from './transport.js'

/** One event of a stream. */
export interface ServerEvent {
  name: string
  data: string
}

/**
 * events reads a stream of events, each of at most so many bytes. What no blank line ended is
 * dropped.
 */
export async function* events(reply: Reply, most: number): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  let buffer = ''
  let name = ''
  let data: string[] = []
  let size = 0
  for (let bytes = await reply.chunk(); bytes; bytes = await reply.chunk()) {
    const seen = Math.max(buffer.length - 1, 0) // a CR may wait there
    buffer += decoder.decode(bytes, { stream: true })
    let begin = 0
    const breaks = /\r\n|\r(?!$)|\n/g // a CR at the end may be half of a break
    breaks.lastIndex = seen
    for (let at = breaks.exec(buffer); at; at = breaks.exec(buffer)) {
      const line = buffer.slice(begin, at.index)
      begin = breaks.lastIndex
      size += line.length
      if (size > most) await tooLarge(reply)
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') }
        name = ''
        data = []
        size = 0
        continue
      }
      const colon = line.indexOf(':')
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'event') name = value
      else if (field === 'data') data.push(value)
    }
    buffer = buffer.slice(begin)
    if (size + buffer.length > most) await tooLarge(reply)
  }
  // A CR that was held back ends a line, and with it perhaps the last event.
  if (buffer === '\r' && data.length > 0) yield { name, data: data.join('\n') }
}

async function tooLarge(reply: Reply): Promise<never> {
  await reply.cancel()
  throw new Broken(reply.url, 'TOO_LARGE')
}
