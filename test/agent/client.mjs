// A client of the Agent Intake Protocol as agents in JavaScript have one: discover, list, submit, bind, with nothing but
// fetch. It knows nothing of Frontdesk.
import { randomUUID } from "node:crypto";

export class Refused extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? `status ${status}`);
    Object.assign(this, { status, code: body?.error?.code, body });
  }
}

export class Business {
  #site;
  #agent;
  #manifest;

  constructor(site, agent = {}) {
    this.#site = site.replace(/\/$/, "");
    this.#agent = { id: `agent-${randomUUID().slice(0, 8)}`, platform: "custom", consent: ["intake", "offer"], ...agent };
  }

  async discover() {
    const response = await fetch(`${this.#site}/.well-known/agent-intake.json`);
    if (!response.ok) throw new Refused(response.status);
    const manifest = await response.json();
    if (!manifest.aip_version || !Array.isArray(manifest.intakes)) throw new Error("this is no manifest");
    return (this.#manifest = manifest);
  }

  list() {
    return this.#manifest.intakes;
  }

  intake(id) {
    const found = this.list().find((each) => each.id === id);
    if (!found) throw new Error(`there is no intake ${id}`);
    return found;
  }

  submit(id, data, session = randomUUID()) {
    const { id: agent, platform, consent } = this.#agent;
    return this.#post(this.intake(id).endpoint, {
      aip_version: this.#manifest.aip_version, agent: { id: agent, platform, consent_scope: consent }, intake_data: data, session_id: session,
    });
  }

  bind(answer, data) {
    const { id: agent, consent } = this.#agent;
    return this.#post(answer.offer.bind_endpoint, {
      offer_id: answer.offer.id, session_id: answer.session_id, bind_data: data, agent: { id: agent, consent_scope: [...new Set([...consent, "bind"])] },
    });
  }

  async #post(url, message) {
    const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) });
    const body = await response.json();
    if (!response.ok || body.status === "error") throw new Refused(response.status, body);
    return body;
  }
}
