import { ApiError } from "@svc/sdk/failure";
import type { ErrorCode } from "@svc/sdk/shapes";

/** What to do next, by the code of the service's refusal. */
export type Advice = Partial<Record<ErrorCode, string>>;

const advised = new WeakMap<object, string>();

/** What the command that failed has to say about it; undefined where the general advice for the code is as good. */
export function adviceOn(error: unknown): string | undefined {
	return typeof error === "object" && error !== null ? advised.get(error) : undefined;
}

/** Remembers with a refusal what this command would do about it. The first to say something is nearest to the cause. */
export async function advising<T>(advice: Advice, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const text = error instanceof ApiError ? (advice as Readonly<Record<string, string>>)[error.code] : undefined;
		if (error instanceof ApiError && text !== undefined && !advised.has(error)) advised.set(error, text);
		throw error;
	}
}
