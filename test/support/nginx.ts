import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./ports.ts";

/* nginx with the configuration of the deployment files, in front of pictures. */

const FILES = join(import.meta.dir, "../../deploy/proxy");
const MODULES = "/usr/lib/nginx/modules";

const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });
const isThere = nginx !== null && existsSync(join(MODULES, "ngx_http_lua_module.so"));

/** For the titles of tests that need it: a run without it says so. */
export const nginxNote = isThere ? "" : " (SKIPPED: no nginx with its Lua module)";

/** True where tests that need it must be skipped. With CI set, a missing one fails instead. */
export const withoutNginx = !isThere && process.env.CI !== "true";

export interface Nginx extends AsyncDisposable {
	/** Where it is asked for pictures. */
	readonly port: number;
}

type NginxFile = "nginx.conf" | "nginx-purged.conf" | "nginx-tls.conf";

interface Places {
	/** Of the service. */
	readonly upstream: number;
	/** Where it is told what it must forget. */
	readonly purges?: number;
	/** Where it listens, where that is known beforehand. */
	readonly port?: number;
}

/** @throws Error with what it said where it does not start */
export async function startNginx(file: NginxFile, places: Places): Promise<Nginx> {
	if (!nginx || !isThere) throw new Error("there is no nginx with its Lua module, and with CI=true that is a failure");
	const home = await mkdtemp(join(tmpdir(), "svc-nginx-"));
	const [anyPort = 0, plain = 0] = await freePorts(2);
	const { port: free = anyPort } = places;
	const isSecure = file === "nginx-tls.conf";
	if (isSecure) makeCertificate(home);
	const site = (await readFile(join(FILES, file), "utf8"))
		.replaceAll("/var/cache/nginx", home)
		.replace("listen 80;", `listen 127.0.0.1:${isSecure ? plain : free};`)
		.replace("listen 443 ", `listen 127.0.0.1:${free} `)
		.replaceAll("/etc/letsencrypt/live/images.example.com", home)
		.replaceAll("127.0.0.1:3000", `127.0.0.1:${places.upstream}`)
		.replaceAll("127.0.0.1:8081", `127.0.0.1:${places.purges}`);
	await writeFile(join(home, "site.conf"), site);
	await writeFile(join(home, "nginx.conf"), mainOf(home));
	const child = Bun.spawn([nginx, "-p", home, "-c", join(home, "nginx.conf"), "-e", join(home, "log")], {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "ignore",
	});
	const end = async () => {
		child.kill("SIGTERM");
		await child.exited;
		await rm(home, { recursive: true, force: true });
	};
	for (let tries = 0; tries < 2_400 && child.exitCode === null; tries++) {
		const address = `${isSecure ? "https" : "http"}://127.0.0.1:${free}/`;
		const answer = await fetch(address, { tls: { rejectUnauthorized: false } }).catch(() => undefined);
		if (answer) return { port: free, [Symbol.asyncDispose]: end };
		await Bun.sleep(25);
	}
	const said = await readFile(join(home, "log"), "utf8");
	await end();
	throw new Error(`nginx does not answer: ${said}`);
}

function makeCertificate(home: string): void {
	const files = ["-keyout", join(home, "privkey.pem"), "-out", join(home, "fullchain.pem")];
	const more = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
	const made = Bun.spawnSync(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...more]);
	if (!made.success) throw new Error(`no certificate could be made: ${made.stderr}`);
}

function mainOf(home: string): string {
	const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
		(name) => `${name}_temp_path ${home}/${name};`,
	);
	// Its workers would be another user, who does not get into a folder of this one.
	const user = process.getuid?.() === 0 ? "user root;" : "";
	return `${user}
daemon off;
pid ${home}/pid;
load_module ${MODULES}/ndk_http_module.so;
load_module ${MODULES}/ngx_http_lua_module.so;
events {}
http { access_log off; lua_package_path "/usr/share/lua/5.1/?.lua;;"; ${folders.join(" ")} include ${home}/site.conf; }
`;
}
