import type { Clock, Log, LogFacts } from "@svc/base/ports";
import { LOG_LEVELS, type LogLevel, type RecentLog } from "@svc/operator/recent-log";
import { loggable } from "../telemetry/loggable.ts";

/** Whoever follows the log would see nothing but that. */
const READING = "/v1/operator/logs";

/** The same log, of which operators can read the last lines. */
export function keptLog(log: Log, recent: RecentLog, least: LogLevel, clock: Clock): Log {
	const kept = LOG_LEVELS.slice(LOG_LEVELS.indexOf(least));
	const at =
		(level: LogLevel) =>
		(message: string, facts: LogFacts = {}) => {
			log[level](message, facts);
			if (!kept.includes(level) || facts.path === READING) return;
			// Facts of a line go through what takes secrets out of them, as those that are written do.
			recent.keep({ atMs: clock.now(), level, ...asLoggable(message, facts) });
		};
	return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function asLoggable(message: string, facts: LogFacts) {
	const { said, ...rest } = loggable({ ...facts, said: message });
	return { message: String(said), facts: rest };
}
