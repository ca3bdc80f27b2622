;;; toolpath-ls-test.el --- Tests of toolpath-ls.el in a real Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; They run in the demo workspace that scripts/demo-workspace makes, in the folder that the variable
;; TOOLPATH_DEMO of the environment names, with the server that is on the path.  See
;; emacs_test.go.

;;; Code:

(require 'ert)
(require 'flymake)
(require 'imenu)
(require 'toolpath-ls)

(setq eglot-sync-connect t
      eglot-confirm-server-initiated-edits nil
      enable-local-variables nil
      toolpath-ls-blame-width 100)

(defconst toolpath-test-folder (file-name-as-directory (getenv "TOOLPATH_DEMO")))

(defmacro toolpath-test-wait (what)
  "Wait until WHAT is non-nil, and return it."
  `(let ((value nil))
     (with-timeout (60 (ert-fail (list "never became true" ',what)))
       (while (not (setq value ,what))
         (read-event nil nil 0.02)))    ; changes of files come as events
     value))

(defmacro toolpath-test-in (name &rest body)
  "Visit the file NAME of the workspace for BODY, and leave the file as it was."
  (declare (indent 1))
  `(let* ((file (expand-file-name ,name toolpath-test-folder))
          (content (with-temp-buffer (insert-file-contents-literally file) (buffer-string)))
          (buffer (find-file-noselect file)))
     (unwind-protect
         (save-window-excursion
           (switch-to-buffer buffer)
           ,@body)
       (dolist (b (buffer-list))
         (when (buffer-file-name b)
           (with-current-buffer b (set-buffer-modified-p nil) (kill-buffer b))))
       (unless (equal content (with-temp-buffer (insert-file-contents-literally file) (buffer-string)))
         (let ((coding-system-for-write 'no-conversion))
           (write-region content nil file nil 'silent))))))

(defun toolpath-test-to (text)
  "Put point at TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun toolpath-test-line ()
  "The text of the current line."
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun toolpath-test-rest ()
  "Do what Emacs does when the user is at rest."
  (run-hooks 'post-command-hook)
  (timer-event-handler toolpath-ls--timer))

(defun toolpath-test-label ()
  "What is shown behind a line, and where."
  (let ((overlay (seq-find (lambda (o) (overlay-get o 'toolpath-ls))
                           (overlays-in (point-min) (1+ (point-max))))))
    (and overlay
         (cons (line-number-at-pos (overlay-start overlay))
               (substring-no-properties (overlay-get overlay 'after-string))))))

(defun toolpath-test-label-at (line)
  "What is shown when point rests in LINE."
  (goto-char (point-min))
  (forward-line (1- line))
  (toolpath-test-rest)
  (toolpath-test-wait (equal (car (toolpath-test-label)) line))
  (cdr (toolpath-test-label)))

(defmacro toolpath-test-document (&rest body)
  "Visit the document of the workspace with Eglot for BODY."
  `(toolpath-test-in "slug.path.json"
     (should (eq major-mode 'toolpath-ls-document-mode))
     (let ((inhibit-message t))
       (apply #'eglot (eglot--guess-contact)))
     (unwind-protect (progn ,@body)
       (when (eglot-current-server)
         (eglot-shutdown (eglot-current-server))))))

(ert-deftest toolpath-test-diagnostics ()
  "Problems are at their place, and go when they are mended."
  (toolpath-test-document
   (let ((told (lambda ()
                 (seq-filter (lambda (d) (string-match-p "names no step of this path" (flymake-diagnostic-text d)))
                             (flymake-diagnostics)))))
     (let ((problem (car (toolpath-test-wait (funcall told)))))
       (should (eq (flymake-diagnostic-type problem) 'eglot-warning))
       (should (equal (buffer-substring (flymake-diagnostic-beg problem) (flymake-diagnostic-end problem))
                      "\"step2\"")))
     (toolpath-test-to "\"step2\"")
     (search-forward "step")
     (insert "-")
     (eglot--signal-textDocument/didChange)
     (toolpath-test-wait (null (funcall told))))))

(ert-deftest toolpath-test-hover ()
  "Eldoc tells of the step that a parent names."
  (toolpath-test-document
   (toolpath-test-to "\"step-3\"\n")
   (forward-char 2)
   (let ((said nil))
     (eglot-hover-eldoc-function (lambda (text &rest _) (setq said text)))
     (let ((text (substring-no-properties (toolpath-test-wait said))))
       (should (string-match-p "codex" text))))))

(ert-deftest toolpath-test-definition ()
  "The definition of a parent is its step."
  (toolpath-test-document
   (toolpath-test-to "\"step-3\"\n")
   (forward-char 2)
   (xref-find-definitions (xref-backend-identifier-at-point (xref-find-backend)))
   (should (string-match-p "\"id\": \"step-3\"" (toolpath-test-line)))))

(ert-deftest toolpath-test-imenu ()
  "Imenu lists the steps."
  (toolpath-test-document
   (let ((index (format "%S" (toolpath-test-wait (funcall imenu-create-index-function)))))
     (dolist (step '("step-1" "step-2" "step-2-ascii" "step-5"))
       (should (string-match-p step index))))))

(ert-deftest toolpath-test-along-steps ()
  "Commands go to the parent, the child and the head of a step."
  (toolpath-test-document
   (toolpath-test-to "\"id\": \"step-4\"")
   (toolpath-ls-parent-step)
   (should (string-match-p "\"id\": \"step-3\"" (toolpath-test-line)))
   (toolpath-ls-child-step)
   (should (string-match-p "\"id\": \"step-4\"" (toolpath-test-line)))
   (toolpath-ls-head-step)
   (should (string-match-p "\"id\": \"step-5\"" (toolpath-test-line)))))

(defmacro toolpath-test-source (&rest body)
  "Visit the source file of the workspace with blame for BODY."
  `(toolpath-test-in "src/slug.py"
     (unwind-protect (progn (toolpath-ls-blame-mode 1) ,@body)
       (toolpath-ls-blame-mode -1))))

(ert-deftest toolpath-test-inline-blame ()
  "The current line tells who wrote it, and no other does."
  (toolpath-test-source
   (should (string-prefix-p "  agent:claude-code · 2026-11-03 · " (toolpath-test-label-at 3)))
   (should (string-prefix-p "  agent:codex · 2026-11-03 · " (toolpath-test-label-at 11)))
   (should (string-suffix-p " · step-5" (toolpath-test-label-at 17)))
   (should (equal "  base: older than the recording" (toolpath-test-label-at 1)))
   (should (equal "  changed, not recorded" (toolpath-test-label-at 6)))
   (forward-line 1)
   (run-hooks 'post-command-hook)
   (should-not (toolpath-test-label))
   (toolpath-ls-blame-mode -1)
   (should-not (toolpath-test-label))))

(ert-deftest toolpath-test-unsaved ()
  "It is hidden while the text changes, and right again before it is saved."
  (toolpath-test-source
   (toolpath-test-label-at 3)
   (insert "# ")
   (run-hooks 'post-command-hook)
   (should-not (toolpath-test-label))
   (should (equal "  changed, not recorded" (toolpath-test-label-at 3)))
   (primitive-undo 1 buffer-undo-list)
   (should (string-prefix-p "  agent:claude-code" (toolpath-test-label-at 3)))
   (goto-char (point-min))
   (insert "\n\n")
   (should (string-prefix-p "  agent:claude-code" (toolpath-test-label-at 5)))))

(ert-deftest toolpath-test-quiet ()
  "Moving in a text that is known asks the server nothing."
  (toolpath-test-source
   (toolpath-test-label-at 3)
   (cl-letf (((symbol-function 'jsonrpc-async-request) (lambda (&rest _) (ert-fail "asked"))))
     (should (toolpath-test-label-at 11))
     (should (toolpath-test-label-at 17)))))

(ert-deftest toolpath-test-recorded-meanwhile ()
  "A step that another program records is seen at once."
  (toolpath-test-source
   (should (string-suffix-p " · step-5" (toolpath-test-label-at 17)))
   (toolpath-test-wait (> (hash-table-count (toolpath-ls--link-watches (toolpath-ls--link))) 0))
   (let* ((document (expand-file-name "slug.path.json" toolpath-test-folder))
          (before (with-temp-buffer (insert-file-contents-literally document) (buffer-string))))
     (unwind-protect
         (progn
           (call-process "sed" nil nil nil "-i" "s/human:mira/human:somebody/" document)
           (toolpath-test-wait (null toolpath-ls--answer))
           (should (string-prefix-p "  human:somebody" (toolpath-test-label-at 17))))
       (let ((coding-system-for-write 'no-conversion))
         (write-region before nil document nil 'silent))))))

(ert-deftest toolpath-test-line-eldoc ()
  "Eldoc tells how a line of source came about."
  (toolpath-test-source
   (toolpath-test-label-at 11)
   (let ((said nil))
     (should (memq #'toolpath-ls--eldoc eldoc-documentation-functions))
     (toolpath-ls--eldoc (lambda (text &rest _) (setq said text)))
     (should (string-match-p "codex" (toolpath-test-wait said))))))

(ert-deftest toolpath-test-line-to-step ()
  "From a line a command leads to the step that wrote it, and xref back."
  (toolpath-test-source
   (toolpath-test-label-at 11)
   (toolpath-ls-step)
   (should (equal (file-name-nondirectory buffer-file-name) "slug.path.json"))
   (should (string-match-p "\"id\": \"step-3\"" (toolpath-test-line)))
   (with-no-warnings (xref-pop-marker-stack))
   (should (equal (file-name-nondirectory buffer-file-name) "slug.py"))))

(ert-deftest toolpath-test-beside-another-server ()
  "Blame works beside the language server of the file's language."
  (toolpath-test-in "src/slug.py"
    (let ((eglot-server-programs `((python-mode . ("toolpath-ls" "serve" "--stdio"))))
          (inhibit-message t))
      (apply #'eglot (eglot--guess-contact))
      (unwind-protect
          (progn
            (toolpath-ls-blame-mode 1)
            (should (string-prefix-p "  agent:claude-code" (toolpath-test-label-at 3)))
            (should-not (eq (toolpath-ls--link-connection (toolpath-ls--link)) (eglot-current-server))))
        (eglot-shutdown (eglot-current-server))))))

(ert-deftest toolpath-test-global ()
  "The global mode sleeps where there is no document."
  (let ((elsewhere (make-temp-file "toolpath" t)))
    (unwind-protect
        (progn
          (global-toolpath-ls-blame-mode 1)
          (toolpath-test-in "src/slug.py" (should toolpath-ls-blame-mode))
          (toolpath-test-in "slug.path.json" (should-not toolpath-ls-blame-mode))
          (with-current-buffer (find-file-noselect (expand-file-name "a.py" elsewhere))
            (should-not toolpath-ls-blame-mode)
            (kill-buffer))
          (should (zerop (call-process "git" nil nil nil "init" "-q" elsewhere)))
          (dolist (folder '("src" "records")) (make-directory (expand-file-name folder elsewhere)))
          (let ((document (expand-file-name "records/a.path.json" elsewhere)))
            (dolist (holds '(nil t))
              (when holds (write-region "{}" nil document nil 'silent))
              (with-current-buffer (find-file-noselect (expand-file-name "src/a.py" elsewhere))
                (should (eq holds (and toolpath-ls-blame-mode t)))
                (kill-buffer)))))
      (global-toolpath-ls-blame-mode -1)
      (delete-directory elsewhere t))))

(ert-deftest toolpath-test-server-killed ()
  "A server that is killed is started again."
  (toolpath-test-source
   (toolpath-test-label-at 3)
   (let ((link (toolpath-ls--link)))
     (signal-process (jsonrpc--process (toolpath-ls--link-connection link)) 'KILL)
     (toolpath-test-wait (not (toolpath-ls--live link)))
     (setq toolpath-ls--answer nil)
     (should (string-prefix-p "  agent:codex" (toolpath-test-label-at 11)))
     (should-not (eq link (toolpath-ls--link))))))

(ert-deftest toolpath-test-server-missing ()
  "A server that is not there is told of, once."
  (toolpath-test-in "src/slug.py"
    (let ((toolpath-ls-program "no-such-server")
          (toolpath-ls--links (make-hash-table :test #'equal)))
      (let ((said nil))
        (cl-letf (((symbol-function 'message) (lambda (format &rest args) (push (apply #'format format args) said))))
          (toolpath-ls-blame-mode 1)
          (toolpath-test-rest)
          (toolpath-test-rest))
        (should (= 1 (length said)))
        (should (string-match-p "There is no no-such-server; see .toolpath-ls-program." (car said))))
      (should-not toolpath-ls-blame-mode))))

(provide 'toolpath-ls-test)
;;; toolpath-ls-test.el ends here
