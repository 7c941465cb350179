import type { App, AppNeeds, Usage } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { Day, Moment, numberText } from "../../kit/parts.tsx";
import { t } from "../messages.ts";

interface NeedsProps extends Pick<AppNeeds, "ending_keys" | "stopped_endpoints"> {
	readonly app: App;
	readonly usage: Usage;
}

interface Need {
	readonly id: string;
	readonly text: ReactNode;
	/** Where something can be done about it. */
	readonly href?: string;
}

/** From this share of a limit on, somebody should know. */
const NEARLY = 0.9;

/** What needs somebody; nothing where all is well. */
export function Needs(props: NeedsProps) {
	const needs = [...appNeeds(props), ...keyNeeds(props), ...endpointNeeds(props), ...limitNeeds(props)];
	if (needs.length === 0) return null;
	return (
		<section className="card needs" aria-labelledby="needs">
			<h2 id="needs">{t("needs")}</h2>
			<ul className="rows">
				{needs.map(({ id, text, href }) => (
					<li key={id}>
						<span>{text}</span>
						{href && <a href={href}>{t("needs.see")}</a>}
					</li>
				))}
			</ul>
		</section>
	);
}

function appNeeds({ app }: NeedsProps): readonly Need[] {
	const href = `/console/${app.id}/settings`;
	const paused = app.paused_at && t("needs.paused", { day: <Moment ms={Date.parse(app.paused_at)} /> });
	const blocked = app.blocked_at && t("needs.blocked", { day: <Moment ms={Date.parse(app.blocked_at)} /> });
	return [
		...(blocked ? [{ id: "blocked", text: blocked }] : []),
		...(paused ? [{ id: "paused", text: paused, href }] : []),
	];
}

function keyNeeds({ app, ending_keys: keys }: NeedsProps): readonly Need[] {
	return keys.flatMap((key) => {
		if (key.expires_at === null) return [];
		const shown = { key: <bdi>{key.name}</bdi>, day: <Day ms={Date.parse(key.expires_at)} /> };
		return [{ id: key.id, text: t("needs.key", shown), href: `/console/${app.id}/keys` }];
	});
}

function endpointNeeds({ app, stopped_endpoints: endpoints }: NeedsProps): readonly Need[] {
	return endpoints.map(({ id, url }) => {
		const href = `/console/${app.id}/webhooks/${id}`;
		return { id, text: t("needs.endpoint", { url: <bdi>{url}</bdi> }), href };
	});
}

function limitNeeds({ usage: { limits } }: NeedsProps): readonly Need[] {
	if (!limits) return [];
	return (["images", "users"] as const).flatMap((of) => {
		const { used, limit } = limits[of];
		if (used === null || limit === null || used < NEARLY * limit) return [];
		return [{ id: of, text: t(`needs.${of}`, { used: numberText(used), limit: numberText(limit) }) }];
	});
}
