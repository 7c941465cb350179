import { connect } from "node:tls";
import type { Log, Meters } from "@svc/base/ports";
import type { Config } from "./config/config.ts";

/* Servers that this service calls have certificates that end. Whoever runs it sees so before it happens. */

const EVERY_MS = 6 * 3_600_000;
const ANSWER_MS = 10_000;
const WARN_MS = 14 * 86_400_000;
const PORTS: Readonly<Record<string, number>> = { "https:": 443, "libsql:": 443, "wss:": 443, "smtps:": 465 };

/** The servers that are called with TLS, by what they are for. */
export function upstreams({ database, storage, backupTo, mail }: Upstreams): ReadonlyMap<string, URL> {
	const addresses = {
		database: database.kind === "file" ? undefined : database.url,
		store: storage.kind === "s3" ? storage.endpoint : undefined,
		backups: backupTo?.endpoint,
		mail: mail.kind === "smtp" && mail.server.secure ? `smtps://${mail.server.host}:${mail.server.port}` : undefined,
	};
	const named = Object.entries(addresses).flatMap(([server, address]): [string, URL][] => {
		const url = address === undefined ? undefined : new URL(address);
		return url && url.protocol in PORTS ? [[server, url]] : [];
	});
	return new Map(named);
}

type Upstreams = Pick<Config, "database" | "storage" | "backupTo" | "mail">;

/** Looks at all of them a few times a day; returns what ends that. A server that cannot be reached keeps what it showed last. */
export function watchCertificates(
	servers: ReadonlyMap<string, URL>,
	{ meters, log }: { meters: Meters; log: Log },
): () => void {
	const ends = new Map<string, number>();
	async function look(): Promise<void> {
		for (const [server, url] of servers) {
			const endsMs = await readEnd(url).catch(() => undefined);
			if (endsMs === undefined) continue;
			if (!ends.has(server))
				meters.gauge("svc_certificate_expires_seconds", () => (ends.get(server) ?? 0) / 1_000, { server });
			ends.set(server, endsMs);
			const facts = { server, host: url.hostname, ends: new Date(endsMs).toISOString() };
			if (endsMs - Date.now() < WARN_MS) log.warn("the certificate of a server that is called ends soon", facts);
		}
	}
	if (servers.size === 0) return () => undefined;
	const lookOnce = () => {
		look().catch((cause: unknown) => log.warn("certificates could not be looked at", { cause }));
	};
	lookOnce();
	const timer = setInterval(lookOnce, EVERY_MS);
	return () => clearInterval(timer);
}

/**
 * When the certificate that a server shows ends, in milliseconds since 1970.
 * @throws Error where it cannot be reached within 10 seconds or shows none
 */
export function readEnd(url: URL): Promise<number> {
	const port = Number(url.port) || PORTS[url.protocol] || 443;
	return new Promise((resolve, reject) => {
		// Looked at, never trusted: one that has ended already is told as well.
		const socket = connect({ host: url.hostname, port, servername: url.hostname, rejectUnauthorized: false });
		const end = (fault?: Error) => {
			socket.destroy();
			if (fault) reject(fault);
		};
		socket.setTimeout(ANSWER_MS, () => end(new Error(`${url.host} does not answer`)));
		socket.once("error", end);
		socket.once("secureConnect", () => {
			const endsMs = Date.parse(socket.getPeerCertificate().valid_to);
			if (Number.isNaN(endsMs)) return end(new Error(`${url.host} shows no certificate`));
			resolve(endsMs);
			end();
		});
	});
}
