import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { Fetch } from "@svc/sdk/wire/request";
import type { Context } from "./command.ts";

const TRIES = 3;
const REFUSED = 403;

/**
 * A fetch that asks for a code on the terminal where a call needs a fresh session, and then sends the call once more. Nothing was done by
 * the first one: the service checks that last, and refuses the whole.
 * @param management calls with the same session, and without this
 */
export function confirmingFetch({ process }: Pick<Context, "process">, management: () => Promise<Management>): Fetch {
	return async (url, init) => {
		const answer = await process.fetch(url, init);
		if (answer.status !== REFUSED || !(await needsFresh(answer.clone()))) return answer;
		const confirmed = await confirm(process, await management());
		// Nothing typed: the refusal stands.
		return confirmed ? await process.fetch(url, { ...init, signal: process.signal }) : answer;
	};
}

/** False where nothing was typed. @throws ApiError invalid_code after the last try */
async function confirm(process: Context["process"], { sessions }: Management): Promise<boolean> {
	const { signal } = process;
	const login = await sessions.stepUp({ signal });
	for (let tries = 1; ; tries++) {
		const question = tries === 1 ? "Confirm that it is you. A code was mailed: " : "That is not the code. Code: ";
		const code = (await process.ask(question)).replace(/\s+/g, "");
		if (code === "") return false;
		try {
			await sessions.confirm(login, code, { signal });
			return true;
		} catch (error) {
			if (tries === TRIES || !isWrongCode(error)) throw error;
		}
	}
}

function isWrongCode(error: unknown): boolean {
	return error instanceof ApiError && error.code === "invalid_code";
}

async function needsFresh(answer: Response): Promise<boolean> {
	const body: unknown = await answer.json().catch(() => undefined);
	const { error } = (body ?? {}) as { readonly error?: { readonly details?: { readonly session?: unknown } } };
	return error?.details?.session !== undefined;
}
