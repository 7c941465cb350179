import type { Log, LogFacts } from "@svc/base/ports";
import pino from "pino";
import type { LogLevel } from "./config.ts";
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

/** More than this is written at once. */
const GATHERED_MAX_BYTES = 8_192;

/** What is logged in one turn of the event loop goes out in one call of the kernel, whose cost is that of many lines; at the end of the process as well. */
function gathered(): pino.DestinationStream {
	const destination = pino.destination({ dest: 2, sync: true, minLength: GATHERED_MAX_BYTES });
	let isDue = false;
	const flush = () => {
		isDue = false;
		destination.flushSync();
	};
	process.on("exit", flush);
	return {
		write(line) {
			destination.write(line);
			if (!isDue) setImmediate(flush);
			isDue = true;
		},
	};
}

/** Loaded only where somebody watches. */
async function readable() {
	const { default: pretty } = await import("pino-pretty");
	return pretty({ destination: 2, sync: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss" });
}
