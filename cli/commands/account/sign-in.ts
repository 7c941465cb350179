import { hostname } from "node:os";
import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import type { Login, VerifiedSession } from "@svc/sdk/shapes";
import { say } from "../../handover/handover.ts";
import type { Context } from "../../kit/command.ts";
import { type Column, fields } from "../../kit/output/table.ts";

const TRIES = 3;
const NAME_MAX = 100;

/** A session that may be shown, and where it is kept. */
interface SignedIn extends Omit<VerifiedSession, "device_token"> {
	readonly profile: string;
	readonly base_url: string;
}

export const SIGNED_IN_COLUMNS: readonly Column<SignedIn>[] = [
	...fields("id"),
	{ name: "email", value: (session) => session.account.email },
	{ name: "operator", value: (session) => session.account.operator },
	...fields("fresh_until", "expires_at", "profile", "base_url"),
];

/** How this program is named in a person's list of sessions. */
export function deviceName(): string {
	return `svc on ${hostname().replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")}`.slice(0, NAME_MAX);
}

/** A secret or code from standard input. @throws UsageError for an empty one */
export async function readStdin({ process }: Context, what: string): Promise<string> {
	const text = (await process.readInput()).trim();
	if (text !== "") return text;
	throw new UsageError(`Standard input is empty; it should be ${what}.`);
}

/** @throws UsageError that names the flag, where there is no terminal to ask on */
export async function askFor(context: Context, question: string, flag: string): Promise<string> {
	refuseSilence(context, flag);
	const { process } = context;
	const answer = (await process.ask(question)).trim();
	if (answer !== "") return answer;
	throw new LocalError("Nothing was typed, and nothing was changed.", undefined, EXIT.failed);
}

function refuseSilence({ process, globals }: Context, flag: string): void {
	if (globals.noInput || !process.canAsk) throw new UsageError("Nobody can be asked.", `Add ${flag}.`);
}

/** Refuses before a code is mailed that could not be typed in. @throws UsageError */
export function checkCodeSource(context: Context, fromStdin: boolean): void {
	if (!fromStdin) refuseSilence(context, "--code-stdin, and the code on standard input");
}

/** Takes the mailed code and verifies it; a person may mistype it a few times. */
export async function verifyCode<T extends VerifiedSession>(
	context: Context,
	{ expires_at }: Login,
	fromStdin: boolean,
	verify: (code: string) => Promise<T>,
): Promise<T> {
	await say(context, `A code was mailed; it is good until ${expires_at}.`);
	// A mail may show the code as 123 456.
	const compact = (code: string) => code.replace(/\s+/g, "");
	if (fromStdin) return await verify(compact(await readStdin(context, "the code that was mailed")));
	for (let tries = 1; ; tries++) {
		const code = compact(await askFor(context, "Code: ", "--code-stdin"));
		try {
			return await verify(code);
		} catch (error) {
			if (!isWrongCode(error) || tries === TRIES) throw error;
			await say(context, "That is not the code.");
		}
	}
}

function isWrongCode(error: unknown): boolean {
	return error instanceof ApiError && error.code === "invalid_code";
}

/** Field by field, so that a secret that a newer service adds is not shown either. */
export function signedIn(session: VerifiedSession, profile: string, base_url: string): SignedIn {
	const { id, object, kind, device, network, current, fresh_until, account } = session;
	const { expires_at, last_used_at, created_at } = session;
	const times = { fresh_until, expires_at, last_used_at, created_at };
	return { id, object, kind, device, network, current, ...times, account, profile, base_url };
}
