import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./ports.ts";

/* The proxy of the deployment files, with their very configuration: TLS and a balancer before services. */

const CADDYFILE = join(import.meta.dir, "../../deploy/proxy/Caddyfile");

const caddy = Bun.which("caddy");

/** For the titles of tests that need it: a run without it says so. */
export const proxyNote = caddy ? "" : " (SKIPPED: no caddy on the PATH)";

/** True where tests that need it must be skipped. With CI set, a missing one fails instead. */
export const withoutProxy = caddy === null && process.env.CI !== "true";

interface Addresses {
	readonly baseUrl: string;
	readonly cdnUrl: string;
}

/** Two that the proxy can have certificates of its own for. */
export async function proxyAddresses(): Promise<Addresses> {
	const [api, cdn] = await freePorts(2);
	return { baseUrl: `https://localhost:${api}`, cdnUrl: `https://127.0.0.1:${cdn}` };
}

/**
 * @param isIssuer true: hosts of Apps have certificates too, of its own in place of a public authority's
 * @throws Error with what it said where it does not start
 */
export async function startProxy(
	{ baseUrl, cdnUrl }: Addresses,
	upstreams: readonly string[],
	isIssuer = false,
): Promise<AsyncDisposable> {
	if (!caddy) throw new Error("there is no caddy, and with CI=true that is a failure");
	const home = await mkdtemp(join(tmpdir(), "svc-proxy-"));
	const [plain, ask] = await freePorts(2);
	if (isIssuer) {
		// Names that are not public have certificates of Caddy's own only where nothing else is said.
		const main = (await Bun.file(CADDYFILE).text()).replace(
			/^(\{\$SVC_(?:BASE|CDN)_URL\} \{)$/gm,
			"$1\n\ttls internal",
		);
		await Bun.write(join(home, "Caddyfile"), main);
		const hosts = await Bun.file(join(CADDYFILE, "../own-domains-on.caddyfile")).text();
		await Bun.write(
			join(home, "own-domains-on.caddyfile"),
			hosts.replace("on_demand\n", "on_demand\n\t\tissuer internal\n"),
		);
	}
	const file = isIssuer ? join(home, "Caddyfile") : CADDYFILE;
	const child = Bun.spawn([caddy, "run", "--config", file, "--adapter", "caddyfile"], {
		env: {
			...{ HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
			...{ SVC_BASE_URL: baseUrl, SVC_CDN_URL: cdnUrl, UPSTREAMS: upstreams.join(" ") },
			...{ HTTP_PORT: String(plain), HTTPS_PORT: new URL(baseUrl).port, ASK_PORT: String(ask) },
			...(isIssuer && { OWN_DOMAINS: "on" }),
		},
		stdin: "ignore",
		stdout: "ignore",
		stderr: Bun.file(join(home, "log")),
	});
	const end = async () => {
		child.kill("SIGKILL");
		await child.exited;
		await rm(home, { recursive: true, force: true });
	};
	// It makes each address's certificate by itself, one after the other.
	const answer = (url: string) => through(`${url}/healthz`).catch(() => undefined);
	for (let tries = 0; tries < 2_400 && child.exitCode === null; tries++) {
		if ((await answer(baseUrl))?.ok && (await answer(cdnUrl))) return { [Symbol.asyncDispose]: end };
		await Bun.sleep(25);
	}
	const said = await Bun.file(join(home, "log")).text();
	await end();
	throw new Error(`caddy does not answer: ${said}`);
}

/** The proxy's certificates are its own. */
export function through(address: string, init: RequestInit = {}): Promise<Response> {
	return fetch(address, { ...init, tls: { rejectUnauthorized: false } });
}
