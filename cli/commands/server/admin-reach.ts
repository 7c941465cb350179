import type { Context } from "../../kit/command.ts";
import { type Check, failed, passed } from "./checks.ts";
import { probe } from "./probe.ts";

/** Where the pages let a libSQL server's admin address listen. */
const ADMIN_PORT = 8081;
const ADMIN_MS = 3_000;
const GREETING = "sqld admin API";

/** A name without a dot is one of an inner network, too. */
const INNER =
	/^(localhost|[^.]+|.*\.(localhost|internal|local|lan)|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[(::1|f[cd].*)\])$/;

/** Whether the admin address of the database server, at which databases can be deleted, can be reached from here. */
export async function checkAdmin(context: Context, baseUrl: string): Promise<Check> {
	const database = URL.parse(context.process.env.SVC_DATABASE_URL ?? "")?.hostname;
	const hosts = new Set([new URL(baseUrl).hostname, ...(database ? [database] : [])]);
	for (const host of hosts) {
		const answer = await askAdmin(context, host);
		const at = `${host}:${ADMIN_PORT}`;
		if (answer === "open")
			return failed("admin", `${at} answers without a key`, `Whoever reaches it can delete databases. ${REMEDY}`);
		if (answer === "locked" && !INNER.test(host))
			return failed("admin", `${at} can be reached from here`, `Its key alone protects the databases. ${REMEDY}`);
	}
	return passed("admin", "the database server's admin address is not open to this machine");
}

const REMEDY =
	"Let it listen on loopback or in an inner network, with a key: --admin-listen-addr 127.0.0.1:8081 --admin-auth-key …";

async function askAdmin({ process, globals }: Context, host: string): Promise<"open" | "locked" | "other"> {
	try {
		const answer = await probe(
			process,
			`http://${host}:${ADMIN_PORT}/`,
			Math.min(globals.leftMs?.() ?? ADMIN_MS, ADMIN_MS),
		);
		if (answer.status === 200 && new TextDecoder().decode(answer.body).includes(GREETING)) return "open";
		// So it refuses who has no key: without a word.
		return answer.status === 401 && answer.body.length === 0 && !answer.headers.has("www-authenticate")
			? "locked"
			: "other";
	} catch {
		process.signal.throwIfAborted();
		return "other";
	}
}
