//! Graphs of figures over time, as lines without a script.

/// A graph with its description, which says in words what matters of it.
pub struct Graph {
    pub title: String,
    /// The newest and the greatest value.
    pub summary: String,
    /// The labels of both ends of the time.
    pub first: String,
    pub last: String,
    /// Times and values, in the order of the times.
    pub points: Vec<(i64, i64)>,
    /// Both ends of the time.
    pub period: (i64, i64),
    /// A longer time between two points is a gap in the line.
    pub gap: i64,
}

impl Graph {
    pub const WIDTH: i64 = 600;
    pub const HEIGHT: i64 = 100;

    /// The lines between the gaps, as SVG has them. Zero is the lower edge, and the greatest value the upper one.
    pub fn lines(&self) -> Vec<String> {
        let (start, end) = self.period;
        let length = (end - start).max(1);
        let top = self.points.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
        let mut lines: Vec<Vec<String>> = Vec::new();
        let mut before = None;
        for (at, value) in &self.points {
            let across = (i128::from(at - start) * i128::from(Self::WIDTH) / i128::from(length)).to_string();
            let down =
                i128::from(Self::HEIGHT) - i128::from(*value) * i128::from(Self::HEIGHT) / i128::from(top);
            let point = format!("{across},{down}");
            match lines.last_mut() {
                Some(line) if before.is_some_and(|before| at - before <= self.gap) => line.push(point),
                _ => lines.push(vec![point]),
            }
            before = Some(*at);
        }
        // A line of one point has no length and would not be seen.
        let visible = lines.into_iter().map(|line| match &line[..] {
            [one] => format!("{one} {one}"),
            _ => line.join(" "),
        });
        visible.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(points: &[(i64, i64)]) -> Graph {
        let text = String::new();
        let (title, summary, first, last) = (text.clone(), text.clone(), text.clone(), text);
        Graph { title, summary, first, last, points: points.to_vec(), period: (0, 100), gap: 10 }
    }

    #[test]
    fn lines_span_the_period_and_end_at_gaps() {
        let points = [(0, 0), (10, 5), (50, 10), (60, 2), (100, 10)];
        assert_eq!(graph(&points).lines(), ["0,100 60,50", "300,0 360,80", "600,0 600,0"]);
    }

    #[test]
    fn graph_without_points_or_of_zeros_has_no_invalid_coordinates() {
        assert!(graph(&[]).lines().is_empty());
        assert_eq!(graph(&[(0, 0), (5, 0)]).lines(), ["0,100 30,100"]);
    }
}
