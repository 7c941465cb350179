import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeFor } from "./connect.ts";
import { type Ended, ended, startProgram } from "./program.ts";
import type { StartedService } from "./service.ts";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");
const { PATH = "" } = process.env;

/** Who the first start makes. */
export const OPERATOR = "operator@localhost";

interface Line {
	/** It may be known only once the program runs. */
	readonly stdin?: string | (() => Promise<string>);
	readonly env?: Readonly<Record<string, string>>;
}

type Question = readonly [asked: string, answer: () => Promise<string>];

interface KeptFile {
	readonly current?: string;
	readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The program on a machine where nobody has signed in yet. */
export interface BareProgram {
	readonly home: string;
	readonly profilePath: string;
	svc(argv: readonly string[], line?: Line): Promise<Ended>;
	/** On a terminal: what is typed is sent when its question has been asked. */
	onTerminal(argv: readonly string[], questions: readonly Question[]): Promise<{ exit: number; screen: string }>;
	/** The code of a mail that is not there yet, as a mail shows it. */
	nextCode(email: string): () => Promise<string>;
	/** Signs in by code, with `--json`. */
	signIn(email?: string, ...more: string[]): Promise<Ended>;
	kept(): Promise<KeptFile>;
	/** What the only profile holds. */
	only(): Promise<Readonly<Record<string, string>>>;
	/** How the service answers to a secret. */
	statusOf(secret: string | undefined, path?: string): Promise<number>;
	close(): Promise<void>;
}

function nextCodeOf(service: StartedService, email: string): () => Promise<string> {
	const before = codeFor(service.database, email).catch(() => "");
	return async () => {
		const old = await before;
		for (let tries = 0; tries < 2_000; tries++) {
			const code = await codeFor(service.database, email).catch(() => old);
			if (code !== old) return `${code.slice(0, 3)} ${code.slice(3)}\n`;
			await Bun.sleep(25);
		}
		throw new Error(`no code for ${email}`);
	};
}

export async function openBareProgram(service: StartedService): Promise<BareProgram> {
	const home = await mkdtemp(join(tmpdir(), "svc-bare-"));
	const profilePath = join(home, ".config/svc/profiles.json");
	const own = { PATH, HOME: home, SVC_DATA_DIR: home };

	async function svc(argv: readonly string[], { stdin = "", env = {} }: Line = {}): Promise<Ended> {
		const child = startProgram(argv, { cwd: home, env: { ...own, ...env } });
		await child.stdin.write(typeof stdin === "string" ? stdin : await stdin());
		return ended(child);
	}

	async function onTerminal(argv: readonly string[], questions: readonly Question[]) {
		let screen = "";
		const decoder = new TextDecoder();
		const terminal = new Bun.Terminal({
			data(_, data) {
				screen += decoder.decode(data, { stream: true });
			},
		});
		const env = { ...own, TERM: "xterm" };
		const child = Bun.spawn([process.execPath, MAIN, ...argv], { cwd: home, env, terminal });
		for (const [asked, answer] of questions) {
			for (let tries = 0; !screen.includes(asked) && tries < 4_000; tries++) await Bun.sleep(20);
			terminal.write(await answer());
		}
		const exit = await child.exited;
		terminal.close();
		return { exit, screen };
	}

	const nextCode = (email: string) => nextCodeOf(service, email);
	const kept = async (): Promise<KeptFile> => JSON.parse(await readFile(profilePath, "utf8"));
	return {
		home,
		profilePath,
		svc,
		onTerminal,
		nextCode,
		signIn(email = OPERATOR, ...more) {
			const line = ["login", "--email", email, "--code-stdin", "--json", "--base-url", service.baseUrl, ...more];
			return svc(line, { stdin: nextCode(email) });
		},
		kept,
		async only() {
			const [profile, other] = Object.values((await kept()).profiles);
			if (profile === undefined || other !== undefined) throw new Error("there is not one profile");
			return profile;
		},
		async statusOf(secret = "", path = "/v1/me") {
			return (await fetch(`${service.baseUrl}${path}`, { headers: { Authorization: `Bearer ${secret}` } })).status;
		},
		close: () => rm(home, { recursive: true }),
	};
}
