import { describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addApp, setPlan } from "../support/apps.ts";
import { payAndReturn } from "../support/billing.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { addSession } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form, send } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { isLinearizable, type Model, noted, type Operation } from "./linear.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* Several clients change one image, one key and one subscription at once: what they were answered has an order in which it is right. */

/** How often each thing is fought over. */
const ROUNDS = Number(process.env.SVC_TEST_HISTORIES ?? 4);
const CLIENTS = 5;
const CALLS = 8;

/** The API over one process or several. */
interface World {
	/** At one process by chance. Undefined: no telling whether it happened. */
	ask(dice: Dice, secret: string, method: string, path: string, body?: unknown): Promise<Answered | undefined>;
	readonly appId: string;
	readonly key: string;
	/** Of the App's Owner. */
	readonly owner: string;
}

interface Answered {
	readonly status: number;
	readonly body: Readonly<Record<string, unknown>>;
}

/** A thing that is fought over, made anew in every round. */
interface Contest<State, Input> {
	readonly model: Model<State, Input, string>;
	/** What a client does, and the answer in short. */
	begin(world: World): Promise<{
		pick(dice: Dice, call: number): Input;
		call(dice: Dice, input: Input): Promise<string | undefined>;
	}>;
}

const picture = await plain(8, 8);

type ImageInput =
	| { readonly kind: "read" }
	| { readonly kind: "delete" }
	| { readonly kind: "set"; readonly to: string }
	| { readonly kind: "swap"; readonly from: string; readonly to: string };

/** A label of an image; null once it is deleted. */
const image: Contest<string | null, ImageInput> = {
	model: {
		initial: "0",
		step(state, input, output) {
			const [after, answer] = labelAfter(state, input);
			return output === undefined || output === answer ? after : undefined;
		},
	},
	async begin({ ask, key }) {
		const body = form(picture, "a.png", { labels: JSON.stringify({ s: "0" }) });
		const made = await ask(new Dice(0), key, "POST", "/v1/images", body);
		const path = `/v1/images/${made?.body.id}`;
		const label = (answer: Answered | undefined) =>
			answer && (answer.status === 200 ? String((answer.body.labels as { s?: string }).s) : String(answer.status));
		return {
			pick(dice, call) {
				const to = String(dice.below(4));
				if (call === CALLS - 1 && dice.chance(0.5)) return { kind: "delete" };
				return dice.pick<ImageInput>([
					{ kind: "read" },
					{ kind: "set", to },
					{ kind: "swap", from: String(dice.below(4)), to },
				]);
			},
			async call(dice, input) {
				if (input.kind === "read") return label(await ask(dice, key, "GET", path));
				if (input.kind === "delete") return (await ask(dice, key, "DELETE", path))?.status.toString();
				const only = input.kind === "swap" ? { if_labels: { s: input.from } } : {};
				return label(await ask(dice, key, "PATCH", path, { labels: { s: input.to }, ...only }));
			},
		};
	},
};

function labelAfter(state: string | null, input: ImageInput): readonly [string | null, string] {
	if (state === null) return [null, "404"];
	if (input.kind === "read") return [state, state];
	if (input.kind === "delete") return [null, "200"];
	if (input.kind === "swap" && input.from !== state) return [state, "409"];
	return [input.to, input.to];
}

type KeyInput = "use" | "revoke" | { readonly name: string } | "read";

/** A key's name; null once it is revoked. */
const key: Contest<string | null, KeyInput> = {
	model: {
		initial: "first",
		step(state, input, output) {
			const [after, answer] = nameAfter(state, input);
			return output === undefined || output === answer ? after : undefined;
		},
	},
	async begin({ ask, owner, appId }) {
		const keys = `/v1/apps/${appId}/keys`;
		const request = { name: "first", reach: "app", permissions: ["read"] };
		const { id, secret } = (await ask(new Dice(0), owner, "POST", keys, request))?.body ?? {};
		const path = `${keys}/${id}`;
		const shown = (answer: Answered | undefined) =>
			answer && (answer.body.revoked_at === null ? String(answer.body.name) : "revoked");
		return {
			pick(dice, call) {
				if (call > CALLS / 2 && dice.chance(0.2)) return "revoke";
				return dice.pick<KeyInput>(["use", "read", { name: `name ${dice.below(5)}` }]);
			},
			async call(dice, input) {
				if (input === "use") return (await ask(dice, String(secret), "GET", "/v1/usage"))?.status.toString();
				if (input === "revoke") return (await ask(dice, owner, "DELETE", path))?.status.toString();
				if (input === "read") return shown(await ask(dice, owner, "GET", path));
				const answer = await ask(dice, owner, "PATCH", path, input);
				return answer?.status === 409 ? "409" : shown(answer);
			},
		};
	},
};

function nameAfter(state: string | null, input: KeyInput): readonly [string | null, string] {
	if (input === "use") return [state, state === null ? "401" : "200"];
	if (input === "revoke") return [null, "200"];
	if (input === "read") return [state, state ?? "revoked"];
	return state === null ? [null, "409"] : [input.name, input.name];
}

type PlanInput = "cancel" | "resume" | "read";

/** Whether an App's plan ends with its term. */
const subscription: Contest<boolean, PlanInput> = {
	model: {
		initial: false,
		step(ends, input, output) {
			if (input !== "read") return output === undefined || output === "200" ? input === "cancel" : undefined;
			return output === undefined || output === String(ends) ? ends : undefined;
		},
	},
	async begin({ ask, owner, appId }) {
		const path = `/v1/apps/${appId}/billing`;
		await ask(new Dice(0), owner, "POST", `${path}/resume`);
		return {
			pick: (dice) => dice.pick<PlanInput>(["cancel", "resume", "read", "read"]),
			async call(dice, input) {
				if (input !== "read") return (await ask(dice, owner, "POST", `${path}/${input}`))?.status.toString();
				const answer = await ask(dice, owner, "GET", path);
				return answer && String(answer.body.cancel_at_period_end);
			},
		};
	},
};

async function fight<State, Input>(
	world: World,
	{ model, begin }: Contest<State, Input>,
	round: number,
): Promise<number> {
	const { pick, call } = await begin(world);
	const history: Operation<Input, string>[] = [];
	await Promise.all(
		Array.from({ length: CLIENTS }, async (_, client) => {
			const dice = new Dice(seed, round * CLIENTS + client);
			for (let turn = 0; turn < CALLS; turn++) {
				const input = pick(dice, turn);
				await noted(history, input, () => call(dice, input));
			}
		}),
	);
	const told = history
		.sort((a, b) => a.calledMs - b.calledMs)
		.map(({ input, output, calledMs, answeredMs }) => JSON.stringify([calledMs, answeredMs, input, output]));
	if (!isLinearizable(model, history)) throw new Error(`no order is right:\n${told.join("\n")}`);
	return history.filter(({ output }) => output === undefined).length;
}

async function prepare(env: Readonly<Record<string, string>>): Promise<Omit<World, "ask">> {
	const service = await openService(env);
	const app = await addApp(service.database);
	await setPlan(service.database, app.id, "unlimited");
	const bought = await addApp(service.database, "Bought");
	const owner = await addSession(service.database, bought.ownerId);
	const checkout = await send(
		service,
		"POST",
		`/v1/apps/${bought.id}/billing/checkout`,
		{ plan: "pro" },
		{ key: owner },
	);
	await payAndReturn(service, ((await checkout.json()) as { url: string }).url);
	await service.close();
	return { appId: bought.id, key: app.key, owner };
}

function askOf(servers: readonly ServerProcess[]): World["ask"] {
	return async (dice, secret, method, path, body) => {
		const isForm = body instanceof FormData;
		const json: RequestInit = body === undefined || isForm ? {} : { headers: { "Content-Type": "application/json" } };
		const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
		const { baseUrl } = dice.pick(servers) as ServerProcess;
		const headers = { ...json.headers, Authorization: `Bearer ${secret}` };
		const answer = await fetch(`${baseUrl}${path}`, { method, ...sent, headers });
		const parsed = (await answer.json()) as Answered["body"];
		return answer.status >= 500 ? undefined : { status: answer.status, body: parsed };
	};
}

async function fightAll(env: Readonly<Record<string, string>>, processes: number): Promise<void> {
	const world = await prepare(env);
	const servers: ServerProcess[] = [];
	try {
		for (let count = 0; count < processes; count++) {
			servers.push(await startProcess(env));
			await servers.at(-1)?.ready();
		}
		const all = { ...world, ask: askOf(servers) };
		let unknown = 0;
		for (let round = 0; round < ROUNDS; round++) {
			unknown += await fight(all, image, round);
			unknown += await fight(all, key, round);
			unknown += await fight(all, subscription, round);
		}
		// A history of which nothing is known is always right.
		expect(unknown).toBeLessThan((ROUNDS * CLIENTS * CALLS * 3) / 4);
		found(`linearizable over ${processes}`, { histories: ROUNDS * 3, calls: ROUNDS * 3 * CLIENTS * CALLS, unknown });
	} finally {
		for (const { process } of servers) {
			process.kill("SIGKILL");
			await process.exited;
		}
	}
}

async function dataDirEnv() {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-linear-"));
	return { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
}

describe(`${ROUNDS} rounds over an image, a key and a subscription are linearizable`, () => {
	test(
		`with one process on a file (seed ${seed})`,
		async () => {
			const env = await dataDirEnv();
			await fightAll(env, 1);
			await removeData(env.SVC_DATA_DIR);
		},
		limitMs(ROUNDS, 60_000),
	);

	test.skipIf(withoutLibsql)(
		`with three processes on a libSQL server (seed ${seed})${libsqlNote}`,
		async () => {
			await using server = await startLibsql();
			const env = { ...(await dataDirEnv()), SVC_DATABASE_URL: server.url };
			await fightAll(env, 3);
			await removeData(env.SVC_DATA_DIR);
		},
		limitMs(ROUNDS, 60_000),
	);
});
