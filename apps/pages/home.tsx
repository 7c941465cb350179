import type { PagesRooms } from "./kit/rooms.ts";
import { type Page, show } from "./kit/visit.ts";

export function home({ name, addresses }: Pick<PagesRooms, "name" | "addresses">): Page {
	const body = (
		<div className="card">
			<h1>{name}</h1>
			<p className="lead">A quiet place where Apps keep pictures, and where the pictures stay yours.</p>
			<ul className="points">
				<li>
					<strong>You use an App that keeps pictures here?</strong> In <a href="/account">your account</a> you see which
					Apps are connected, what each one keeps, and disconnect those that you no longer want.
				</li>
				<li>
					<strong>You build an App?</strong> Start with the <a href={`${addresses.base}/docs`}>API document</a>.
				</li>
			</ul>
		</div>
	);
	return show(name, body);
}
