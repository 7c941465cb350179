import type { Server } from "node:http";
import type { Socket } from "node:net";
import { canonical } from "../door/client-address.ts";
import type { OpenSocket, Sockets } from "./sockets-types.ts";

/** The connections that servers of `node:http` have accepted, each under a number of ours. */
const open = new Map<number, Socket>();
let last = 0;

/** Notes the connections of a server from now on. */
export function noteSockets(server: Server): void {
	server.on("connection", (socket) => {
		const id = ++last;
		open.set(id, socket);
		socket.once("close", () => open.delete(id));
	});
}

/** The connections that were noted. */
export const nodeSockets: Sockets = {
	accepted: (ports) => [...open].flatMap(([id, socket]) => (isAt(socket, ports) ? (farEnd(id, socket) ?? []) : [])),
	isSending: (id) => (open.get(id)?.writableLength ?? 0) > 0,
	cut: (id) => {
		open.get(id)?.destroy();
	},
};

function isAt({ localPort }: Socket, ports: readonly number[]): boolean {
	return localPort !== undefined && ports.includes(localPort);
}

/** Undefined for one that has just ended. */
function farEnd(id: number, { remoteAddress, remotePort }: Socket): OpenSocket | undefined {
	const address = canonical(remoteAddress ?? "");
	return address === undefined || remotePort === undefined ? undefined : { id, address, port: remotePort };
}
