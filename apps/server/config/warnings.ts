import type { Config } from "./config.ts";
import { cachingWarning } from "./config-caching.ts";

/** What whoever runs the service should know of its settings, though it starts. Without values. */
export function warnings({ caching, mail, mode, oldNames }: Config): readonly string[] {
	const told = [
		oldNames.length > 0
			? `some settings have other names now, and the old ones go on working: ${oldNames.join("; ")}. See docs/reference/configuration.md`
			: undefined,
		mode === "live" && mail.kind === "outbox"
			? "no mail leaves this service: SVC_SMTP_URL is not set. Nobody gets a code to sign in; mail is kept for operators to read (svc operator emails)"
			: undefined,
		cachingWarning(caching),
	];
	return told.filter((warning) => warning !== undefined);
}
