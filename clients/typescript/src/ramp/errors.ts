// Errors of buying.
import { FrontdeskError } from '../errors.js'

/** Content is what was bought, as it was delivered. */
export interface Content {
  media: string
  bytes: Uint8Array
  text: string
  /** It is what the offer described, byte for byte, by its SHA-256. */
  offered: boolean
  /** It is nearly what the offer described, by its simhash-v1; it may have been changed. */
  near: boolean
  /** It is what the one who delivered it meant to, by its digest. */
  digested: boolean
}

/**
 * ExchangeError is a failure that an Exchange answers; `code` is that of Connect, such as
 * unauthenticated.
 */
export class ExchangeError extends FrontdeskError {
  override name = 'ExchangeError'
  constructor(
    code: string,
    readonly said: string,
    details: { status: number; retryAfter?: number | undefined; raw: unknown },
    apart: string,
  ) {
    super(
      code,
      `the Exchange answered ${details.status} ${code}: ${said || 'it does not say why'}${apart}` +
        (code === 'unauthenticated' && !apart ? '; look at the key that your domain publishes' : ''),
      details,
    )
  }
}

/**
 * NotAnExchange is a document or an answer that is not what RAMP v1 has there. What it says is not
 * used.
 */
export class NotAnExchange extends FrontdeskError {
  override name = 'NotAnExchange'
  constructor(
    readonly url: string,
    problem: string,
    status = 200,
  ) {
    super('NOT_AN_EXCHANGE', `${url} is not RAMP v1: ${problem}`, { status })
  }
}

/** Rejected is a report that the Exchange did not take. */
export class Rejected extends FrontdeskError {
  override name = 'Rejected'
  constructor(readonly reason: string) {
    super('REJECTED', `the Exchange did not take the report: ${reason || 'it does not say why'}`)
  }
}

/** NotDisputed is a dispute that the Exchange does not take up. */
export class NotDisputed extends FrontdeskError {
  override name = 'NotDisputed'
  constructor(
    readonly reason: string,
    readonly dispute: string,
  ) {
    super('NOT_DISPUTED', `the Exchange did not take up the dispute: ${reason || 'it does not say why'}`)
  }
}

/**
 * OtherContent is content whose hash is not that of its offer, though the offer says that it does
 * not change.
 */
export class OtherContent extends FrontdeskError {
  override name = 'OtherContent'
  constructor(readonly content: Content) {
    super(
      'OTHER_CONTENT',
      'what was delivered is not what was offered: its hash is another; do not use it, and dispute the transaction',
    )
  }
}

/** Damaged is content that is not what its own digest says. */
export class Damaged extends FrontdeskError {
  override name = 'Damaged'
  constructor(readonly content: Content) {
    super(
      'DAMAGED',
      'what was delivered is not what its Repr-Digest says: it was cut or changed on its way; ' +
        'deliver again, or dispute the transaction',
    )
  }
}
