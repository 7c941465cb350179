import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../support/ports.ts";
import { type PeerProcess, startPeer } from "./peer.ts";

/* nginx, which sends one file from its disk. */

const program = Bun.which("nginx");

export interface Nginx extends Pick<PeerProcess, "pid">, AsyncDisposable {
	readonly address: string;
}

/** One worker, as the service is one process; without a log, since the service logs no request for a rendition either. */
const settings = (folder: string, port: number | undefined, headers: Readonly<Record<string, string>>) => `
daemon off;
user root;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log crit;
events {}
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 100000000;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port};
		root ${folder};
		${Object.entries(headers)
			.map(([name, value]) => `add_header ${name} ${JSON.stringify(value)};`)
			.join("\n\t\t")}
	}
}
`;

/** Undefined where there is no `nginx` on the PATH. It makes the validators itself. */
export async function startNginx(
	bytes: Uint8Array,
	headers: Readonly<Record<string, string>>,
): Promise<Nginx | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const address = `http://127.0.0.1:${port}/rendition`;
	const peer = await startPeer(async (folder) => {
		await writeFile(join(folder, "rendition"), bytes, { mode: 0o644 });
		await writeFile(join(folder, "nginx.conf"), settings(folder, port, headers));
		return [program, "-p", folder, "-c", join(folder, "nginx.conf")];
	}, address);
	return { ...peer, address };
}
