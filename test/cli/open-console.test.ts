import { afterAll, beforeAll, expect, test } from "bun:test";
import { addPerson } from "../support/people.ts";
import { openProgram } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

/* `svc open console`: for a person's session, for who may read the data directory, and never for a token. */

let service: StartedService;
beforeAll(async () => {
	service = await startService({ SVC_VARIANT: "current" });
});
afterAll(() => service.stop());

async function printed(person: Parameters<typeof openProgram>[1]): Promise<string> {
	const program = await openProgram(service, person);
	const { exit, out, err } = await program.svc("open", "console", "--print");
	await program.close();
	expect([exit, err]).toEqual([0, ""]);
	return out.trim();
}

const statusOf = async (url: string) => (await fetch(url, { redirect: "manual" })).status;

test("a session gets an address that opens the console; so does the machine of the data directory, and a token gets the sign-in", async () => {
	const { secret } = await addPerson(service.database);
	const bySession = await printed({ token: secret });
	expect(bySession).toMatch(/\/console\?start=[0-9A-Za-z]{44}$/);
	expect(await statusOf(bySession)).toBe(200);
	const byMachine = await printed({ env: { SVC_DATA_DIR: service.dataDir } });
	expect(byMachine).toMatch(/\/console\?start=[0-9A-Za-z]{44}$/);
	expect(await statusOf(byMachine)).toBe(200);
	expect(await printed({})).toBe(`${service.baseUrl}/console`);
});
