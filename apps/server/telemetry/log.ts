import type { Log, LogFacts } from "@svc/base/ports";
import type { LogLevel } from "@svc/operator/recent-log";
import pino from "pino";
import { gathered } from "./log-lines.ts";
import { loggable } from "./loggable.ts";

/** JSON lines for machines; readable lines where a person watches. On stderr, so that stdout stays for what was asked for. */
export async function openLog(level: LogLevel, terminal: boolean): Promise<Log> {
	const destination = terminal ? await readable() : gathered();
	const options: pino.LoggerOptions = {
		level,
		base: null,
		timestamp: pino.stdTimeFunctions.isoTime,
		// Errors are written out below, wherever they stand; pino would do it for one name only.
		serializers: { err: (value: unknown) => value },
		formatters: { level: (label) => ({ level: label }) },
	};
	const logger = terminal ? pino({ ...options, formatters: {} }, destination) : pino(options, destination);
	const at =
		(method: LogLevel) =>
		(message: string, facts: LogFacts = {}) =>
			logger[method](loggable(facts), message);
	return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Loaded only where somebody watches. */
async function readable() {
	const { default: pretty } = await import("pino-pretty");
	return pretty({
		destination: 2,
		sync: true,
		ignore: "pid,hostname",
		singleLine: true,
		translateTime: "SYS:HH:MM:ss",
	});
}
