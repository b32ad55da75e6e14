// The owner's inbox on SQLite: what agents submit, answered by hand, bound, seen to, delivered, found and erased.
import { journeys } from "./inbox-journeys.mjs";

journeys("SQLite");
