import "./style.css";

export const metadata = { title: "Pictures", icons: "data:," };

export default function Layout({ children }) {
	return (
		<html lang="en">
			<body>{children}</body>
		</html>
	);
}
