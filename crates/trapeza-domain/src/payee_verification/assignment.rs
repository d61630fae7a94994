//! The cheapest assignment of rows to columns (the Hungarian method), so that the order of words never matters.

/// For each row of a square matrix the column it is assigned to, with the least sum of costs.
pub(super) fn cheapest_assignment(costs: &[Vec<i64>]) -> Vec<usize> {
    let size = costs.len();
    // Row and column 0 are sentinels; `row_of[column]` is the row assigned to a column.
    let (mut row_potential, mut column_potential) = (vec![0; size + 1], vec![0; size + 1]);
    let mut row_of = vec![0; size + 1];
    for row in 1..=size {
        row_of[0] = row;
        let (mut slack, mut visited) = (vec![i64::MAX; size + 1], vec![false; size + 1]);
        let mut previous = vec![0; size + 1];
        let mut column = 0;
        while row_of[column] != 0 {
            visited[column] = true;
            let (from, mut next, mut least) = (row_of[column], 0, i64::MAX);
            for candidate in 1..=size {
                if visited[candidate] {
                    continue;
                }
                let reduced =
                    costs[from - 1][candidate - 1] - row_potential[from] - column_potential[candidate];
                if reduced < slack[candidate] {
                    (slack[candidate], previous[candidate]) = (reduced, column);
                }
                if slack[candidate] < least {
                    (least, next) = (slack[candidate], candidate);
                }
            }
            for candidate in 0..=size {
                if visited[candidate] {
                    row_potential[row_of[candidate]] += least;
                    column_potential[candidate] -= least;
                } else if slack[candidate] != i64::MAX {
                    slack[candidate] -= least;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[previous[column]];
            column = previous[column];
        }
    }
    let mut column_of = vec![0; size];
    for column in 1..=size {
        column_of[row_of[column] - 1] = column - 1;
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignment_has_the_least_cost() {
        assert_eq!(cheapest_assignment(&[]), Vec::<usize>::new());
        assert_eq!(cheapest_assignment(&[vec![4, 1, 3], vec![2, 0, 5], vec![3, 2, 2]]), [1, 0, 2]);
    }
}
