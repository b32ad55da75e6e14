// From a question to a bound offer with the sample intakes of `frontdesk demo`, whose address is FRONTDESK_URL.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { Business, Refused } from "./client.mjs";

const site = process.env.FRONTDESK_URL;
const business = new Business(site, { consent: ["intake", "offer", "account_creation"] }); // the trial makes an account

before(() => business.discover());

const refused = (status, code) => (error) => {
  assert.ok(error instanceof Refused, String(error));
  assert.deepEqual([error.status, error.code, error.body.status], [status, code, "error"]);
  return true;
};

// Data that each of the sample intakes takes, and what it binds with.
const samples = {
  "kitchen-checkup": { data: { age_range: "30-44", activity: "light", weight_kg: 80, height_cm: 180, goal: "more energy" }, bind: { email: "jane@example.com" } },
  "evening-out": { data: { interest: "music", people: 2 }, bind: { email: "jane@example.com", full_name: "Jane Doe", phone: "+43 1 58058 0" } },
  "review-trial": { data: { country: "GB", plan: "digital", readers: 3 }, bind: { email: "jane@example.com", full_name: "Jane Doe", company: "Jane & Co" } },
  "jam-sugar": { data: { fruit: "plum", fruit_kg: 2, sugar: "2:1" } },
};

test("all intakes are listed", () => {
  assert.deepEqual(business.list().map((each) => each.id).sort(), Object.keys(samples).sort());
  for (const each of business.list()) {
    assert.equal(each.method, "POST");
    assert.ok(each.description && each.input_schema.properties && each.endpoint.startsWith(site));
  }
});

for (const [id, sample] of Object.entries(samples)) {
  test(`${id}: submitted, offered, bound`, async () => {
    const answer = await business.submit(id, sample.data);
    assert.equal(answer.status, "offer");
    assert.ok(answer.offer.id && answer.offer.summary && !/NaN|Infinity|undefined/.test(JSON.stringify(answer)));
    const binding = business.intake(id).binding_available;
    assert.equal(Boolean(answer.offer.bind_endpoint), binding);
    if (!binding) return;
    assert.ok(Date.parse(answer.offer.expires) > Date.now());
    const data = Object.fromEntries(answer.offer.bind_requires.map((name) => [name, sample.bind[name]]));
    const bound = await business.bind(answer, data);
    assert.deepEqual([bound.status, bound.offer_id, bound.session_id], ["bound", answer.offer.id, answer.session_id]);
    assert.deepEqual(await business.bind(answer, data), bound);
    await assert.rejects(business.bind(answer, { ...data, email: "other@example.com" }), refused(409, "OFFER_ALREADY_BOUND"));
  });
}

test("what does not fit gets an error, and no offer", async () => {
  const { data } = samples["kitchen-checkup"];
  await assert.rejects(business.submit("kitchen-checkup", { ...data, activity: "none" }), refused(400, "SCHEMA_MISMATCH"));
  await assert.rejects(business.submit("kitchen-checkup", { ...data, weight_kg: undefined }), refused(400, "SCHEMA_MISMATCH"));
  await assert.rejects(business.submit("kitchen-checkup", data, "test-001"), refused(400, "INVALID_INPUT"));
});

test("a stranger's session binds nothing", async () => {
  const answer = await business.submit("kitchen-checkup", samples["kitchen-checkup"].data);
  const { bind } = samples["kitchen-checkup"];
  await assert.rejects(business.bind({ ...answer, session_id: crypto.randomUUID() }, bind), refused(404, "OFFER_NOT_FOUND"));
  await assert.rejects(new Business(site).bind(answer, bind), refused(404, "OFFER_NOT_FOUND"));
  await assert.rejects(business.bind(answer, {}), refused(400, "BIND_INCOMPLETE"));
  assert.equal((await business.bind(answer, bind)).status, "bound");
});

test("what cannot be served is declined with a reason", async () => {
  const answer = await business.submit("kitchen-checkup", { ...samples["kitchen-checkup"].data, age_range: "under 18" });
  assert.equal(answer.status, "declined");
  assert.ok(answer.decline_reason);
});
