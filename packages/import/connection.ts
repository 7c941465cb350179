import { once } from "node:events";
import { isIP, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { Failure, FetchAgain } from "@svc/base/failure";
import { untilAborted } from "@svc/base/pace/patience";
import { canonicalAddress, type Destination, notPublic, unfetchable } from "./destination.ts";

const MAX_ADDRESSES = 4;
/** How long one address may take while others are left to try. */
const NEXT_ADDRESS_MS = 5_000;

/** Opens a TCP connection to a literal address; nothing in it may look up a name. */
export type Dial = (address: string, port: number) => Socket;

export const dialDirectly: Dial = (address, port) => netConnect({ host: address, port });

/** Every socket of one request, so that whatever happens all of them are destroyed. */
export interface GuardedConnection {
	readonly socket: Socket;
	/** The literal address that `socket` is connected to. */
	readonly address: string;
	close(): void;
}

/**
 * Connects to the first of the addresses that answers. They are all judged already, and no name is looked up any more: a name
 * that resolves to something else by now cannot matter.
 * @throws Failure
 */
export async function connect(
	destination: Destination,
	addresses: readonly string[],
	options: { readonly dial: Dial; readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<GuardedConnection> {
	const { address, socket } = await dialAny(addresses.slice(0, MAX_ADDRESSES), destination.port, options);
	if (destination.url.protocol === "http:") return { socket, address, close: () => socket.destroy() };
	const secure = encrypt(socket, destination.host, options.ca);
	const close = () => {
		secure.destroy();
		socket.destroy();
	};
	try {
		await untilAborted(once(secure, "secureConnect"), options.signal);
		return { socket: secure, address, close };
	} catch (error) {
		close();
		throw options.signal.aborted ? error : unfetchable("has no valid TLS certificate or broke the handshake", error);
	}
}

async function dialAny(
	addresses: readonly string[],
	port: number,
	{ dial, signal }: { readonly dial: Dial; readonly signal: AbortSignal },
): Promise<{ readonly address: string; readonly socket: Socket }> {
	let fault: unknown;
	for (const [index, address] of addresses.entries()) {
		const isLast = index === addresses.length - 1;
		const patience = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(NEXT_ADDRESS_MS)]);
		const socket = dial(address, port);
		// Without a listener a late error on a socket would end the process.
		socket.on("error", () => undefined);
		try {
			await untilAborted(once(socket, "connect"), patience);
			checkPeer(socket, address);
			return { address, socket };
		} catch (error) {
			socket.destroy();
			// A strange peer and the deadline are final; anything else may go better at the next address.
			if (error instanceof Failure) throw error;
			fault = error;
		}
	}
	throw new FetchAgain("does not answer", fault);
}

// Should never differ. If it does, something between us and the network decides where connections go.
function checkPeer(socket: Socket, address: string): void {
	const peer = socket.remoteAddress;
	if (peer === undefined || canonicalAddress(peer) !== canonicalAddress(address)) {
		throw notPublic("");
	}
}

function encrypt(socket: Socket, host: string, ca: string | undefined): Socket {
	const secure = tlsConnect({
		socket,
		// The certificate is checked against `host`; addresses are not sent as a server name (RFC 6066, section 3).
		host,
		...(isIP(host) === 0 && { servername: host }),
		...(ca !== undefined && { ca }),
		// Set explicitly, so that no environment variable can turn it off.
		rejectUnauthorized: true,
		minVersion: "TLSv1.2",
		ALPNProtocols: ["http/1.1"],
	});
	secure.on("error", () => undefined);
	return secure;
}
