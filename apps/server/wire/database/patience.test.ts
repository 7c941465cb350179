import { describe, expect, test } from "bun:test";
import { Refusal } from "@svc/base/database/remote/server-streams";
import { DatabaseError } from "@svc/base/database-error";
import { TestLog } from "@svc/test/support/service";
import { whileAway } from "./patience.ts";

const REMOTE = {
	database: {
		kind: "remote",
		url: "https://secret@db.example/?authToken=secret",
		token: "secret",
		isRelaxedAccepted: false,
	},
} as const;
const FILE = { database: { kind: "file", path: "/svc.db" } } as const;

const lost = new DatabaseError("UNKNOWN", "unknown", new Error("Unable to connect."));
const wrapped = new Error("The migration 0001 failed", { cause: lost });

/** Fails with each of these in turn, and then succeeds. */
function failing(...causes: readonly Error[]) {
	let tries = 0;
	return async () => {
		const cause = causes[tries++];
		if (cause) throw cause;
		return tries;
	};
}

describe("a start", () => {
	test("waits for a database server that does not answer, and says so each time", async () => {
		const log = new TestLog();
		expect(await whileAway({ config: REMOTE, log }, failing(lost, wrapped))).toBe(3);
		expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill("the start waits for the database"));
		expect(log.lines[0]?.facts).toMatchObject({ database: "https://db.example", reason: "Unable to connect" });
	});

	test("gives up after its time, and says which server and what to look at", async () => {
		const work = failing(...Array<Error>(99).fill(wrapped));
		const start = whileAway({ config: REMOTE, log: new TestLog(), forMs: 600 }, work);
		const why = await start.catch((cause: Error) => cause.message);
		expect(why).toMatch(
			/^the database at https:\/\/db\.example has not answered for \d seconds: Unable to connect\. .*SVC_DATABASE_URL/,
		);
	});

	test.each([401, 403])("gives up at once where the server answers %i", async (status) => {
		const refused = new DatabaseError("UNKNOWN", "unknown", new Refusal(status, "no token"));
		const why = await whileAway({ config: REMOTE, log: new TestLog() }, failing(refused)).catch(String);
		expect(why).toContain(`refuses this service: The libSQL server answered ${status}: no token. `);
	});

	test.each([
		["a fault that is not the database's", REMOTE, new Error("a port is taken")],
		["what a server says of a statement", REMOTE, new DatabaseError("SQLITE_CONSTRAINT", "no", undefined)],
		["a file that is locked", FILE, new DatabaseError("SQLITE_BUSY", "no", undefined)],
	])("does not wait for %s", async (_, config, cause) => {
		const log = new TestLog();
		expect(await whileAway({ config, log }, failing(cause)).catch((thrown: unknown) => thrown)).toBe(cause);
		expect(log.lines).toEqual([]);
	});
});
