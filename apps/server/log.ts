import type { Log, LogFacts } from "@svc/base/ports";
import pino from "pino";
import pretty from "pino-pretty";
import type { LogLevel } from "./config.ts";

// Redaction is the second line of defence; the first is that nothing secret is ever handed to the log.
const REDACTED = [
	"secret",
	"authorization",
	"api_key",
	"cookie",
	"*.secret",
	"*.authorization",
	"*.api_key",
	"*.cookie",
];

/** JSON lines for machines; readable lines where a person watches. On stderr, so that stdout stays for what was asked for. */
export function openLog(level: LogLevel, terminal: boolean): Log {
	const destination = terminal
		? pretty({ destination: 2, sync: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss" })
		: pino.destination({ dest: 2, sync: true });
	const options: pino.LoggerOptions = {
		level,
		base: null,
		timestamp: pino.stdTimeFunctions.isoTime,
		redact: { paths: REDACTED, censor: "[redacted]" },
		serializers: { cause: errorChain },
		formatters: { level: (label) => ({ level: label }) },
	};
	const logger = terminal ? pino({ ...options, formatters: {} }, destination) : pino(options, destination);
	const at =
		(method: LogLevel) =>
		(message: string, facts: LogFacts = {}) =>
			logger[method](facts, message);
	return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** An error with all of its causes; anything else as it is. */
function errorChain(cause: unknown): unknown {
	if (!(cause instanceof Error)) return cause;
	const { name, message, stack } = cause;
	return { name, message, stack, ...(cause.cause !== undefined && { cause: errorChain(cause.cause) }) };
}
