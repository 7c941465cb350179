import { isDeploymentSecret, SECRET_FORM } from "@svc/base/crypto/deployment-secret";
import type { ProxyTrust } from "../door/client-address.ts";
import type { ListenAddress } from "./config-types.ts";
import type { VariableReader } from "./variables.ts";

/* Who may come in, from where, and how they are seen. */

const BOOTSTRAP_SECRET_MIN = 20;

export interface MetricsConfig {
	/** The bearer that `/metrics` needs. */
	readonly token: string | undefined;
	/** The only address that serves `/metrics`. */
	readonly listen: ListenAddress | undefined;
	/** With neither of them: whether others than loopback clients may read them. */
	readonly open: boolean;
}

export interface TelemetryConfig {
	/** How many of the traces that begin here are kept: 0 to 1. */
	readonly ratio: number;
	/** How often metrics are sent. */
	readonly everyMs: number;
}

/** OpenTelemetry's own variables; its exporters read the others themselves. */
export function readTelemetry(read: VariableReader): TelemetryConfig | undefined {
	const endpoint = read.optional("OTEL_EXPORTER_OTLP_ENDPOINT");
	if (endpoint === undefined) return undefined;
	if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
		read.fault(
			"OTEL_EXPORTER_OTLP_ENDPOINT",
			"the https:// or http:// address of a collector that takes OTLP over HTTP",
		);
	}
	const ratio = Number(read.text("OTEL_TRACES_SAMPLER_ARG", "1"));
	if (!(ratio >= 0 && ratio <= 1)) read.fault("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1");
	return { ratio, everyMs: read.integer("OTEL_METRIC_EXPORT_INTERVAL", 60_000, 100) };
}

export function readProxyTrust(read: VariableReader): ProxyTrust {
	const name = "SVC_CLIENT_ADDRESS_HEADER";
	const proxies = read.networks("SVC_TRUSTED_PROXIES", "127.0.0.0/8,::1/128");
	const header = read.optional(name)?.toLowerCase();
	if (header === undefined) return { proxies, header };
	const single = /^[a-z0-9-]+$/.test(header) && header !== "forwarded" && header !== "x-forwarded-for";
	if (!single) read.fault(name, "the name of a header with one address, such as CF-Connecting-IP");
	if (proxies.length === 0) read.fault(name, "no value where SVC_TRUSTED_PROXIES is none: nobody would be believed");
	return { proxies, header };
}

/** Whoever guesses it owns the deployment. */
export function readBootstrapSecret(read: VariableReader): string | undefined {
	const name = "SVC_BOOTSTRAP_SECRET";
	const secret = read.optional(name);
	if (secret !== undefined && [...secret].length < BOOTSTRAP_SECRET_MIN) {
		read.fault(name, `at least ${BOOTSTRAP_SECRET_MIN} characters, such as \`openssl rand -hex 20\` makes`);
	}
	return secret;
}

export function readMetrics(read: VariableReader, mode: "test" | "live"): MetricsConfig {
	const token = read.optional("SVC_METRICS_TOKEN");
	if (token !== undefined && !/^[!-~]+$/.test(token)) read.fault("SVC_METRICS_TOKEN", "a token without spaces");
	const [listen, ...more] = read.listen("SVC_METRICS_LISTEN") ?? [];
	if (more.length > 0) read.fault("SVC_METRICS_LISTEN", "one host:port");
	return { token, listen, open: mode === "test" };
}

/** The first one is in force; a second one is the one before it, which is still taken. */
export function readDeploymentSecrets(read: VariableReader): readonly string[] {
	const name = "SVC_DEPLOYMENT_SECRET";
	const sent = read.optional(name)?.split(",") ?? [];
	const isRight = sent.every(isDeploymentSecret) && sent.length <= 2 && new Set(sent).size === sent.length;
	if (!isRight) read.fault(name, `${SECRET_FORM}; while it is changed, the new one, a comma and the old one`);
	return sent;
}
