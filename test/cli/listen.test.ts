import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { startOrigin } from "../support/origin.ts";
import { jsonOf } from "../support/program.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
});

afterAll(() => program.stop());

const json = (...argv: readonly string[]) => jsonOf(program.svc(...argv, "--json"));

test("listen posts what happens to a program on this machine, signed with the secret that it printed", async () => {
	const got: { readonly headers: Record<string, string>; readonly body: string }[] = [];
	const receiver = await startOrigin(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		got.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
		response.writeHead(204).end();
	});
	const argv = ["listen", "--forward-to", receiver.url("/hooks"), "--types", "key.*", "--limit", "1", "-o", "jsonl"];
	const running = program.start(...argv);
	const reader = running.stdout.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	async function readUntil(wanted: string): Promise<void> {
		while (!text.includes(wanted)) {
			const { value, done } = await reader.read();
			if (done) throw new Error(`ended without ${wanted}: ${text}`);
			text += value;
		}
	}
	await readUntil("whsec_");
	const secret = /whsec_[0-9A-Za-z+/=]+/.exec(text)?.[0] ?? "";
	// It listens from some moment on: keys are made until one is heard of.
	let made = 0;
	while (got.length === 0 && made < 50) {
		made += 1;
		await json("keys", "create", `heard ${made}`);
		await Bun.sleep(100);
	}
	await readUntil("key.created");
	// At the next start it is the same: a program that knows it goes on.
	const again = program.start(...argv);
	const [restarted = ""] = await again.stdout
		.pipeThrough(new TextDecoderStream())
		.values()
		.next()
		.then(({ value }) => [value]);
	again.kill();
	await again.exited;
	expect(restarted).toContain(secret);
	const [first] = got;
	receiver.stop();
	const event = new Webhook(secret).verify(first?.body ?? "", { ...first?.headers });
	expect(event).toMatchObject({ object: "event", type: "key.created" } as never);
	const [listed] = await json("events", "--types", "key.created", "--limit", "1");
	expect(listed).toMatchObject({ type: "key.created" });
	// The group alone lists, and both ways of following go on behind an event.
	expect(await json("events", "list", "--types", "key.created", "--limit", "1")).toEqual([listed]);
	const { id } = listed as { readonly id: string };
	const behind = ["--after", id, "--types", "key.*", "--limit", "1"];
	const followed = await json("events", "tail", ...behind);
	expect(followed).toMatchObject([{ object: "event" }]);
	expect(await json("events", "--follow", ...behind)).toEqual(followed);
});
