// The owner's inbox on PostgreSQL, where FRONTDESK_TEST_POSTGRES names one: the same journeys.
import { postgres } from "./inbox.mjs";
import { journeys } from "./inbox-journeys.mjs";

if (postgres) journeys("PostgreSQL");
