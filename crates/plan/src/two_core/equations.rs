//! Equations (1) to (4) of "dual-core-microcontrollers", §II.C: what the main core gains by giving
//! steps to a coprocessor.

/// A step that may go to the coprocessor. All times in cycles of the main core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// T: what it takes on the main core.
    pub time: f64,
    /// c: how long the main core has other things to do until it needs the output.
    pub slack: f64,
    /// τ: the exchange of data.
    pub exchange: f64,
    /// r: how often it is done.
    pub times: f64,
}

impl Step {
    /// (1): the gain if the coprocessor, `s` times as slow, can hand back what it has not done by
    /// the time that the output is needed.
    pub fn divisible_gain(&self, s: f64) -> f64 {
        if self.slack >= s * self.time {
            self.time - self.exchange
        } else {
            self.slack / s - self.exchange
        }
    }

    /// (2), (3): the gain if it must end where it began: min(T, c + T(1 − s)) − τ. Negative if the
    /// coprocessor is too slow.
    pub fn gain(&self, s: f64) -> f64 {
        self.time.min(self.slack + self.time * (1.0 - s)) - self.exchange
    }
}

/// (4): the gain of all steps.
pub fn total_gain(steps: &[Step], s: f64) -> f64 {
    steps.iter().map(|step| step.times * step.gain(s)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step { time: 100.0, slack: 25.0, exchange: 10.0, times: 3.0 };

    #[test]
    fn a_step_with_slack_costs_only_its_exchange() {
        assert_eq!(STEP.gain(0.25), 90.0);
        assert_eq!(STEP.divisible_gain(0.25), 90.0);
        assert_eq!(total_gain(&[STEP, STEP], 0.25), 540.0);
    }

    #[test]
    fn a_step_without_slack_holds_up_the_main_core() {
        assert_eq!(STEP.gain(0.5), 25.0 + 50.0 - 10.0);
        assert_eq!(STEP.divisible_gain(0.5), 50.0 - 10.0);
        assert_eq!(STEP.gain(2.0), 25.0 - 100.0 - 10.0, "a slow coprocessor loses");
    }
}
