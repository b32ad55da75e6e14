// Errors of submitting to businesses.
import { FrontdeskError } from '../errors.js'
import type { Violation } from '../schema.js'

/** Unfit is data that was not sent, since it does not fit the intake or the offer. */
export class Unfit extends FrontdeskError {
  override name = 'Unfit'
  constructor(readonly violations: Violation[]) {
    super(
      'UNFIT',
      'nothing was sent, since the data does not fit: ' +
        `${violations.map((v) => `${v.pointer || 'it'} ${v.detail}`).join('; ')}`,
    )
  }
}

/**
 * PersonalData is data that was not sent, since it looks personal and nobody said that the person
 * authorized it.
 */
export class PersonalData extends FrontdeskError {
  override name = 'PersonalData'
  constructor(readonly members: string[]) {
    super(
      'PERSONAL_DATA',
      `nothing was sent, since this looks like personal data: ${members.join(', ')}; ` +
        'ask the person, and say personal: true',
    )
  }
}

/** Declined is a provider's answer that it cannot serve this. */
export class Declined extends FrontdeskError {
  override name = 'Declined'
  constructor(
    readonly reason: string,
    details: { status: number; raw: unknown },
  ) {
    super('DECLINED', `the provider declines: ${reason || 'it does not say why'}`, details)
  }
}

/**
 * Pending is a provider's answer that it needs longer: submit the same in the same session after
 * retryAfter.
 */
export class Pending extends FrontdeskError {
  override name = 'Pending'
  constructor(
    readonly session: string,
    details: { status: number; retryAfter: number | undefined; raw: unknown },
  ) {
    super(
      'PENDING',
      `the provider needs longer; submit the same in session ${session} again ` +
        `${details.retryAfter ? `after ${details.retryAfter} seconds` : 'later'}`,
      details,
    )
  }
}

/**
 * Refused is an error that a provider answers; `code` is SCHEMA_MISMATCH, OFFER_EXPIRED or another.
 */
export class Refused extends FrontdeskError {
  override name = 'Refused'
  constructor(
    code: string,
    readonly said: string,
    details: { status: number; retryAfter?: number | undefined; raw: unknown },
  ) {
    super(code, `the provider answered ${details.status} ${code}: ${said || 'it does not say why'}`, details)
  }
}

/** NotAnIntake is a document that is not what the protocol has there. What it says is not used. */
export class NotAnIntake extends FrontdeskError {
  override name = 'NotAnIntake'
  constructor(
    readonly url: string,
    status: number,
    problem: string,
    raw?: unknown,
  ) {
    super('NOT_AN_INTAKE', `what ${url} sent (status ${status}) is not valid: ${problem}`, { status, raw })
  }
}

/** Expired is an offer that has ended. */
export class Expired extends FrontdeskError {
  override name = 'Expired'
  constructor() {
    super('EXPIRED', 'the offer has ended; submit the intake again for another')
  }
}
