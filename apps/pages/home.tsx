import { t } from "./kit/messages.ts";
import { strong } from "./kit/parts.tsx";
import type { PagesRooms } from "./kit/rooms.ts";
import { type PageResult, redirect, show, type Visit } from "./kit/visit.ts";
import { findSignedIn } from "./people/signed-in.ts";

/** Whoever is signed in and works on an App is led to their Apps; everybody else reads what this place is. */
export async function home(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const person = await findSignedIn(rooms, visit);
	const [app] = person ? await rooms.apps.store.list(person.account.pk, null, { limit: 1, beforePk: undefined }) : [];
	if (app) return redirect("/console");
	const { name, addresses } = rooms;
	const body = (
		<div className="card">
			<h1>{name}</h1>
			<p className="lead">{t("home.lead")}</p>
			<ul className="points">
				<li>{t("home.user", { strong, a: (words) => <a href="/account">{words}</a> })}</li>
				<li>{t("home.team", { strong, a: (words) => <a href="/console">{words}</a> })}</li>
				<li>{t("home.developer", { strong, a: (words) => <a href={`${addresses.base}/docs`}>{words}</a> })}</li>
			</ul>
		</div>
	);
	return show(name, body);
}
