import { EXIT, type ExitCode, LocalError } from "@svc/base/processes/exit";
import { printableJson, printableLine } from "@svc/base/text";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import type { Context } from "./command.ts";
import type { Process } from "./process.ts";
import { exitOf, nextStep } from "./refusal.ts";

interface ReportOptions {
	readonly json: boolean;
	/** Adds the stack of a bug. */
	readonly verbose: boolean;
	/** The item that failed, where a command works on several. */
	readonly item?: string | undefined;
	/** Left out where it was printed already. */
	readonly next?: string | undefined;
}

/** Says what failed, what to do next, and where to look it up. */
export async function report(process: Process, error: unknown, options: ReportOptions): Promise<void> {
	const advised = nextStep(error);
	const own = (await isKeyAlone(process, error)) ? `${KEY_ALONE} ${advised}` : advised;
	const complete = { ...options, next: Object.hasOwn(options, "next") ? options.next : own };
	const lines = options.json ? [errorJson(error, complete)] : errorLines(error, complete);
	const isBug = codeOf(error) === "bug";
	if (isBug && options.verbose && error instanceof Error && error.stack !== undefined) lines.push(error.stack);
	await process.err.write(`${lines.join("\n")}\n`);
}

const KEY_ALONE =
	"SVC_API_KEY is an App's key, and with the current profile nobody is signed in at its address: svc login, or name a profile with --profile.";

/** A guide lets people set it for their own program: what needs a person is then done by nobody, unless one is signed in there. */
async function isKeyAlone(process: Process, error: unknown): Promise<boolean> {
	if (!(error instanceof ApiError) || error.code !== "forbidden") return false;
	if (process.env.SVC_API_KEY?.startsWith("svc_sk_") !== true) return false;
	const { readCredentials } = await import("../profile/profile.ts");
	return (await readCredentials(process, undefined).catch(() => undefined))?.token === undefined;
}

/** A failure of one of several things; `item` is its name. */
export interface ItemFailure {
	readonly item: string;
	readonly error: unknown;
}

/** Reports each failure; people read what to do about it only once. */
export async function reportFailures(
	failures: readonly ItemFailure[],
	{ process, globals, out }: Context,
): Promise<void> {
	const said = new Set<string | undefined>();
	for (const { item, error } of failures) {
		const next = nextStep(error);
		const options = { json: out.isJson, verbose: globals.verbose, item };
		await report(process, error, { ...options, next: out.isJson || !said.has(next) ? next : undefined });
		said.add(next);
	}
}

/** The exit code that all failures share, else just `failed`. */
export function exitForAll(errors: readonly unknown[]): ExitCode {
	const [first = EXIT.failed, ...others] = new Set(errors.map(exitOf));
	return others.length === 0 ? first : EXIT.failed;
}

function errorJson(error: unknown, { item, next }: ReportOptions): string {
	const answer = error instanceof ApiError ? error : undefined;
	return printableJson({
		error: {
			type: answer?.type ?? "cli_error",
			code: codeOf(error),
			message: messageOf(error),
			details: answer?.details,
			action: answer?.action,
			status: answer?.status || undefined,
			request_id: answer?.requestId,
			help: answer?.help,
			item,
			next,
			exit: exitOf(error),
		},
	});
}

function codeOf(error: unknown): string {
	if (error instanceof ApiError) return error.code;
	if (error instanceof ConnectionError) return `connection_${error.reason}`;
	if (error instanceof LocalError) return error.name === "UsageError" ? "usage" : "local";
	return "bug";
}

/** Some runtimes say only that a connection failed, and why below that. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const deeper = error instanceof ConnectionError && error.cause instanceof Error ? error.cause.cause : undefined;
	return deeper === undefined ? error.message : `${error.message}: ${reasonOf(deeper)}`;
}

function errorLines(error: unknown, options: ReportOptions): string[] {
	const lines = [`error: ${options.item === undefined ? "" : `${options.item}: `}${messageOf(error)}`];
	if (error instanceof ApiError) {
		lines.push(...detailLines(error));
		if (error.retryAfterSeconds !== undefined) lines.push(`  wait: ${error.retryAfterSeconds} s`);
	}
	if (options.next !== undefined) lines.push(`  next: ${options.next}`);
	// What a list says of an item is no answer with a status of its own.
	if (error instanceof ApiError) lines.push(`  code: ${error.code}${error.status === 0 ? "" : ` (${error.status})`}`);
	if (error instanceof ApiError && error.requestId !== undefined) lines.push(`  request: ${error.requestId}`);
	if (error instanceof ApiError && error.help !== undefined) lines.push(`  help: ${error.help}`);
	return lines.map(printableLine);
}

/** Runtimes wrap the reason of a failed connection, some of them twice. */
export function reasonOf(error: unknown): string {
	const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
	const own = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
	// Where several addresses were tried, only the code says why each failed.
	const text = message.includes(own) ? message : `${message} (${own})`.trim();
	return cause === undefined ? text : `${text}: ${reasonOf(cause)}`;
}

function detailLines(error: ApiError): string[] {
	// The server that answered may not be the service.
	return Object.entries(error.details ?? {}).map(([field, messages]) => `  ${field}: ${[messages].flat().join("; ")}`);
}
