import { t } from "./kit/messages.ts";
import { strong } from "./kit/parts.tsx";
import type { PagesRooms } from "./kit/rooms.ts";
import { type Page, show } from "./kit/visit.ts";

export function home({ name, addresses }: Pick<PagesRooms, "name" | "addresses">): Page {
	const body = (
		<div className="card">
			<h1>{name}</h1>
			<p className="lead">{t("home.lead")}</p>
			<ul className="points">
				<li>{t("home.user", { strong, a: (words) => <a href="/account">{words}</a> })}</li>
				<li>{t("home.developer", { strong, a: (words) => <a href={`${addresses.base}/docs`}>{words}</a> })}</li>
			</ul>
		</div>
	);
	return show(name, body);
}
