;;; toolpath-ls.el --- Who wrote each line, by Toolpath documents  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The toolpath-ls authors

;; Author: The toolpath-ls authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: tools, vc, languages
;; URL: https://github.com/toolpath-ls/toolpath-ls
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Toolpath documents (.path.json, .path.jsonl) record who changed which line of code, in which step
;; and why: a person, an agent or a tool.  This package is a client of the language server
;; toolpath-ls.
;;
;; - Documents open in `toolpath-ls-document-mode', for which Eglot starts the server: problems, hover,
;;   definition, outline, renaming, formatting.
;; - `toolpath-ls-blame-mode' shows behind the current line of a source file who wrote it.  It has a
;;   connection of its own, and so works beside the language server of the file's language, or
;;   without any.  `global-toolpath-ls-blame-mode' does so in all files of projects that hold
;;   documents.
;; - `toolpath-ls-step', `toolpath-ls-parent-step', `toolpath-ls-child-step' and `toolpath-ls-head-step' go
;;   along the steps.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'filenotify)
(require 'jsonrpc)
(require 'project)
(require 'subr-x)
(require 'url-util)
(require 'xref)

(defgroup toolpath-ls nil
  "Who wrote each line, by Toolpath documents."
  :group 'tools
  :prefix "toolpath-ls-")

(defcustom toolpath-ls-program "toolpath-ls"
  "The server: a name that is looked up in variable `exec-path', or a file."
  :type 'string)

(defcustom toolpath-ls-settings nil
  "Settings of the server, as a property list.
For example \\='(:blame (:ignore [\"tool:*\"])).  See docs/settings.md."
  :type 'plist)

(defcustom toolpath-ls-blame-delay 0.4
  "Seconds without input after which the current line is told of."
  :type 'number)

(defcustom toolpath-ls-blame-width nil
  "Columns after which what is shown behind a line is cut.
Nil means at the edge of the window."
  :type '(choice (const :tag "At the edge of the window" nil) natnum))

(defcustom toolpath-ls-blame-format-function #'toolpath-ls-blame-format
  "Function that makes of a run of lines what is shown behind one of them.
The run is a property list, as `toolpath/blame' answers it: :state, :actor,
:timestamp, :intent, :step and others.  It returns a string, or nil for nothing."
  :type 'function)

(defface toolpath-ls-blame '((t :inherit shadow :slant italic))
  "What is shown behind the current line.")

(defface toolpath-ls-blame-human '((t :inherit toolpath-ls-blame))
  "Lines that a person wrote.")

(defface toolpath-ls-blame-agent '((t :inherit toolpath-ls-blame))
  "Lines that an agent wrote.")

(defface toolpath-ls-blame-tool '((t :inherit toolpath-ls-blame))
  "Lines that a tool or a CI job wrote.")

(defface toolpath-ls-blame-unrecorded '((t :inherit toolpath-ls-blame))
  "Lines of which it is not on record who wrote them.")

;;;; Documents

(defvar toolpath-ls-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "s" #'toolpath-ls-step)
    (define-key map "p" #'toolpath-ls-parent-step)
    (define-key map "c" #'toolpath-ls-child-step)
    (define-key map "h" #'toolpath-ls-head-step)
    map)
  "Keys of the commands that go along steps, to be put behind a prefix.")
(fset 'toolpath-ls-command-map toolpath-ls-command-map)

;;;###autoload
(define-derived-mode toolpath-ls-document-mode js-mode "Toolpath"
  "Major mode for Toolpath documents."
  (setq-local js-indent-level 2))

(put 'toolpath-ls-document-mode 'eglot-language-id "toolpath")

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.path\\.jsonl?\\'" . toolpath-ls-document-mode))

(defun toolpath-ls--contact (&rest _)
  "Command line and settings with which Eglot can start the server."
  (append (toolpath-ls--command)
          (and toolpath-ls-settings
               (list :initializationOptions toolpath-ls-settings))))

(defun toolpath-ls--command ()
  "The command line of the server."
  (list toolpath-ls-program "serve" "--stdio"))

(add-to-list 'eglot-server-programs
             '(toolpath-ls-document-mode . toolpath-ls--contact))

(defun toolpath-ls--document-p (&optional name)
  "Whether NAME, or the file of the buffer, is a Toolpath document."
  (and-let* ((file (or name buffer-file-name)))
    (string-match-p "\\.path\\.jsonl?\\'" file)))

(defun toolpath-ls--object ()
  "A JSON object without members."
  (make-hash-table))

;;;; The connection for source files

;; A *link* is the server of one project, for its source files.  It takes whole texts: a buffer is
;; sent before it is asked about, if it has changed since.

(cl-defstruct (toolpath-ls--link (:constructor toolpath-ls--make-link))
  root connection
  (ready nil)                           ; has answered initialize
  (waiting nil)                         ; what is to be done then
  (watches (make-hash-table :test #'equal))) ; folder -> descriptor

(defvar toolpath-ls--links (make-hash-table :test #'equal)
  "The links, by the root of their project.")

(defvar-local toolpath-ls--opened nil
  "The link that knows of this buffer, and the ticks of its text there.
A list (LINK TICK VERSION).")

(defvar-local toolpath-ls--answer nil
  "Who wrote the lines of the buffer: (TICK . RUNS), the answer for one text.")

(defun toolpath-ls--root ()
  "The folder of the project that the buffer is in."
  (let ((project (project-current)))
    (expand-file-name
     (file-name-as-directory
      (if project (project-root project) default-directory)))))

(defun toolpath-ls--uri (file)
  "The URI of FILE."
  (concat "file://" (if (eq system-type 'windows-nt) "/" "")
          (url-hexify-string (expand-file-name file)
                             (url--allowed-chars (append '(?/ ?:) url-unreserved-chars)))))

(defun toolpath-ls--file (uri)
  "The file of URI, or nil."
  (and (stringp uri) (string-prefix-p "file:///" uri)
       (let ((path (decode-coding-string (url-unhex-string (substring uri 7)) 'utf-8)))
         (if (eq system-type 'windows-nt) (substring path 1) path))))

(defun toolpath-ls--live (link)
  "Return LINK, unless its server has ended."
  (and link (jsonrpc-running-p (toolpath-ls--link-connection link)) link))

(defun toolpath-ls--link ()
  "The link of the buffer's project; its server is started if there is none."
  (let ((root (toolpath-ls--root)))
    (or (toolpath-ls--live (gethash root toolpath-ls--links))
        (puthash root (toolpath-ls--start root) toolpath-ls--links))))

(defun toolpath-ls--start (root)
  "Start the server of ROOT."
  (unless (executable-find toolpath-ls-program)
    (user-error "There is no %s; see `toolpath-ls-program'" toolpath-ls-program))
  (let* ((default-directory root)
         (connection
          (make-instance
           'jsonrpc-process-connection
           :name "toolpath-ls"
           :events-buffer-scrollback-size 0
           :process (lambda ()
                      (make-process :name "toolpath-ls" :command (toolpath-ls--command)
                                    :connection-type 'pipe :coding 'utf-8-emacs-unix
                                    :noquery t
                                    :stderr (get-buffer-create " *toolpath-ls stderr*")))
           :request-dispatcher #'toolpath-ls--on-request
           :notification-dispatcher #'ignore))
         (link (toolpath-ls--make-link :root root :connection connection)))
    (jsonrpc-async-request
     connection :initialize
     (list :processId (emacs-pid)
           :rootUri (toolpath-ls--uri root)
           :workspaceFolders (vector (list :uri (toolpath-ls--uri root) :name (file-name-nondirectory (directory-file-name root))))
           :initializationOptions (or toolpath-ls-settings (toolpath-ls--object))
           :capabilities (list :workspace (list :didChangeWatchedFiles (list :dynamicRegistration t))
                               :textDocument (list :hover (list :contentFormat ["plaintext"]))))
     :success-fn (lambda (_)
                   (jsonrpc-notify connection :initialized (toolpath-ls--object))
                   (setf (toolpath-ls--link-ready link) t)
                   (toolpath-ls--watch link)
                   (mapc #'funcall (nreverse (toolpath-ls--link-waiting link)))
                   (setf (toolpath-ls--link-waiting link) nil))
     :error-fn (lambda (error) (message "toolpath-ls: %s" (plist-get error :message))))
    link))

(defun toolpath-ls--on-request (_connection method params)
  "Answer the server's request METHOD with PARAMS."
  (pcase method
    ('workspace/configuration
     (make-vector (length (plist-get params :items)) (or toolpath-ls-settings (toolpath-ls--object))))
    (_ nil)))

(defun toolpath-ls--watch (link)
  "Tell LINK of documents that change on disk, in all folders that hold some."
  (toolpath-ls--watch-folder link (toolpath-ls--link-root link))
  (jsonrpc-async-request
   (toolpath-ls--link-connection link) :workspace/executeCommand
   (list :command "toolpath.documents" :arguments (vector (toolpath-ls--object)))
   :success-fn (lambda (documents)
                 (seq-do (lambda (document)
                           (when-let ((file (toolpath-ls--file (plist-get document :uri))))
                             (toolpath-ls--watch-folder link (file-name-directory file))))
                         documents))
   :error-fn #'ignore))

(defun toolpath-ls--watch-folder (link folder)
  "Have LINK told of documents that change in FOLDER."
  (let ((watches (toolpath-ls--link-watches link))
        (folder (file-name-as-directory folder)))
    (unless (or (gethash folder watches) (not (file-directory-p folder)))
      (puthash folder
               (ignore-errors
                 (file-notify-add-watch folder '(change)
                                        (lambda (event) (toolpath-ls--on-disk link event))))
               watches))))

(defun toolpath-ls--on-disk (link event)
  "Tell LINK of the file-notify EVENT, if it is about a document."
  (pcase-let ((`(,descriptor ,action . ,files) event))
    (if (not (toolpath-ls--live link))
        (file-notify-rm-watch descriptor)
      (when-let ((documents (and (not (eq action 'stopped))
                                 (seq-filter (lambda (f) (and (stringp f) (toolpath-ls--document-p f))) files))))
        (toolpath-ls--tell-of link documents)))))

(defun toolpath-ls--tell-of (link documents)
  "Tell LINK that DOCUMENTS, which are files, have changed."
  (jsonrpc-notify
   (toolpath-ls--link-connection link) :workspace/didChangeWatchedFiles
   (list :changes
         (vconcat (mapcar (lambda (f) (list :uri (toolpath-ls--uri f) :type (if (file-exists-p f) 2 3)))
                          documents))))
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (eq (car toolpath-ls--opened) link)
        (setq toolpath-ls--answer nil)))))

(defun toolpath-ls--sync (link)
  "Let LINK have the text of the buffer."
  (pcase-let ((`(,known ,tick ,version) toolpath-ls--opened)
              (connection (toolpath-ls--link-connection link))
              (uri (toolpath-ls--uri buffer-file-name))
              (now (buffer-chars-modified-tick)))
    (cond
     ((not (eq known link))
      (jsonrpc-notify connection :textDocument/didOpen
                      (list :textDocument (list :uri uri :version 0 :text (toolpath-ls--text)
                                                :languageId (string-remove-suffix "-mode" (symbol-name major-mode)))))
      (setq toolpath-ls--opened (list link now 0)))
     ((/= tick now)
      (jsonrpc-notify connection :textDocument/didChange
                      (list :textDocument (list :uri uri :version (1+ version))
                            :contentChanges (vector (list :text (toolpath-ls--text)))))
      (setq toolpath-ls--opened (list link now (1+ version)))))))

(defun toolpath-ls--text ()
  "The whole text of the buffer."
  (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))

(defun toolpath-ls--close ()
  "Have the link forget the buffer."
  (when-let ((link (toolpath-ls--live (car toolpath-ls--opened))))
    (jsonrpc-notify (toolpath-ls--link-connection link) :textDocument/didClose
                    (list :textDocument (list :uri (toolpath-ls--uri buffer-file-name)))))
  (setq toolpath-ls--opened nil))

(defun toolpath-ls--ask (method params then)
  "Ask METHOD with PARAMS about the buffer, and call THEN with the answer.
THEN is called in this buffer, and not at all if the text is another by then."
  (let* ((link (toolpath-ls--link))
         (buffer (current-buffer))
         (tick (buffer-chars-modified-tick))
         (fresh (lambda ()
                  (and (buffer-live-p buffer)
                       (= tick (buffer-chars-modified-tick buffer)))))
         (ask (lambda ()
                (when (funcall fresh)
                  (with-current-buffer buffer
                    (toolpath-ls--sync link)
                    (jsonrpc-async-request
                     (toolpath-ls--link-connection link) method params
                     :success-fn (lambda (answer)
                                   (when (funcall fresh)
                                     (with-current-buffer buffer (funcall then answer))))
                     :error-fn #'ignore :timeout-fn #'ignore))))))
    (if (toolpath-ls--link-ready link)
        (funcall ask)
      (push ask (toolpath-ls--link-waiting link)))))

;;;; Blame

(defvar-local toolpath-ls--asking nil
  "The tick of the text that is being asked about.")

(defvar-local toolpath-ls--label nil
  "The overlay behind the current line.")

(defvar toolpath-ls--timer nil
  "The idle timer of all buffers with `toolpath-ls-blame-mode'.")

(defun toolpath-ls-blame-format (run)
  "Return what is shown of RUN by default: actor, day, intent and step."
  (pcase (plist-get run :state)
    ("recorded"
     (let ((day (plist-get run :timestamp)))
       (string-join
        (delq nil (list (concat (plist-get run :actor)
                                (unless (equal (plist-get run :grade) "exact") " (likely)"))
                        (and day (truncate-string-to-width day 10))
                        (plist-get run :intent)
                        (plist-get run :step)))
        " · ")))
    ("base" "base: older than the recording")
    ("changed" "changed, not recorded")
    (_ "not recorded")))

(defun toolpath-ls--face (run)
  "The face of RUN."
  (pcase (and (equal (plist-get run :state) "recorded")
              (car (split-string (or (plist-get run :actor) "") ":")))
    ("human" 'toolpath-ls-blame-human)
    ("agent" 'toolpath-ls-blame-agent)
    ((or "tool" "ci") 'toolpath-ls-blame-tool)
    (_ 'toolpath-ls-blame-unrecorded)))

(defun toolpath-ls--current-runs ()
  "Return who wrote the lines of the present text, nil if that is not known."
  (and (eql (car toolpath-ls--answer) (buffer-chars-modified-tick))
       (cdr toolpath-ls--answer)))

(defun toolpath-ls-run-at-point ()
  "Return the run of lines at point, as `toolpath/blame' answers it, or nil."
  (let ((line (1- (line-number-at-pos nil t))))
    (seq-find (lambda (run) (< (1- (plist-get run :startLine)) line (plist-get run :endLine)))
              (toolpath-ls--current-runs))))

(defun toolpath-ls--hide ()
  "Take what is shown behind a line away."
  (when toolpath-ls--label
    (delete-overlay toolpath-ls--label)
    (setq toolpath-ls--label nil)))

(defun toolpath-ls--room ()
  "Columns that there are behind the current line."
  (or toolpath-ls-blame-width
      (max 20 (- (window-max-chars-per-line)
                 (save-excursion (end-of-line) (current-column))
                 3))))

(defun toolpath-ls--show ()
  "Show behind the current line who wrote it."
  (toolpath-ls--hide)
  (when-let* ((run (toolpath-ls-run-at-point))
              (text (funcall toolpath-ls-blame-format-function run)))
    (let* ((line (truncate-string-to-width
                  (replace-regexp-in-string "[ \t]*[\n\r]+[ \t]*" " " text)
                  (toolpath-ls--room) nil nil t))
           (label (propertize (concat "  " line) 'face (toolpath-ls--face run) 'cursor t)))
      (setq toolpath-ls--label (make-overlay (line-end-position) (line-end-position)))
      (overlay-put toolpath-ls--label 'after-string label)
      (overlay-put toolpath-ls--label 'toolpath-ls t))))

(defun toolpath-ls--rest ()
  "Tell of the current line: the user is at rest."
  (when (and (bound-and-true-p toolpath-ls-blame-mode) buffer-file-name)
    (let ((tick (buffer-chars-modified-tick)))
      (cond
       ((eql (car toolpath-ls--answer) tick) (toolpath-ls--show))
       ((not (eql toolpath-ls--asking tick))
        (setq toolpath-ls--asking tick)
        (condition-case problem
            (toolpath-ls--ask :toolpath/blame
                              (list :textDocument (list :uri (toolpath-ls--uri buffer-file-name)))
                              (lambda (answer)
                                (setq toolpath-ls--asking nil
                                      toolpath-ls--answer (cons tick (append (plist-get answer :runs) nil)))
                                (toolpath-ls--show)))
          (user-error
           (toolpath-ls-blame-mode -1)
           (message "%s" (error-message-string problem)))))))))

(defun toolpath-ls--moved ()
  "Take away what is shown behind a line that point has left."
  (when (and toolpath-ls--label
             (or (null (toolpath-ls--current-runs))
                 (/= (overlay-start toolpath-ls--label) (line-end-position))))
    (toolpath-ls--hide)))

(defun toolpath-ls--eldoc (callback &rest _)
  "Have CALLBACK told how the current line came about."
  (when buffer-file-name
    (toolpath-ls--ask :textDocument/hover (toolpath-ls--place)
                      (lambda (hover)
                        (when-let ((contents (plist-get hover :contents)))
                          (funcall callback (if (stringp contents) contents (plist-get contents :value))))))
    t))

;;;###autoload
(define-minor-mode toolpath-ls-blame-mode
  "Show behind the current line who wrote it, by Toolpath documents.
Eldoc tells how the line came about."
  :lighter " Toolpath"
  :keymap (make-sparse-keymap)
  (cond
   (toolpath-ls-blame-mode
    (add-hook 'post-command-hook #'toolpath-ls--moved nil t)
    (add-hook 'kill-buffer-hook #'toolpath-ls--close nil t)
    (add-hook 'before-revert-hook #'toolpath-ls--hide nil t)
    (add-hook 'eldoc-documentation-functions #'toolpath-ls--eldoc nil t)
    (unless toolpath-ls--timer
      (setq toolpath-ls--timer (run-with-idle-timer toolpath-ls-blame-delay t #'toolpath-ls--rest))))
   (t
    (remove-hook 'post-command-hook #'toolpath-ls--moved t)
    (remove-hook 'kill-buffer-hook #'toolpath-ls--close t)
    (remove-hook 'before-revert-hook #'toolpath-ls--hide t)
    (remove-hook 'eldoc-documentation-functions #'toolpath-ls--eldoc t)
    (toolpath-ls--hide)
    (toolpath-ls--close)
    (setq toolpath-ls--answer nil toolpath-ls--asking nil))))

(defun toolpath-ls--blame-here ()
  "Turn `toolpath-ls-blame-mode' on in a source file of a project with documents."
  (when (and buffer-file-name (not (toolpath-ls--document-p))
             (not (file-remote-p buffer-file-name))
             (toolpath-ls--documents-p))
    (toolpath-ls-blame-mode 1)))

(defconst toolpath-ls--entries 2000
  "How many entries of folders are looked at to find a document.")

(defun toolpath-ls--documents-p ()
  "Look for a document in the buffer's project, or without one in its folder."
  (let ((folders (list (toolpath-ls--root)))
        (deep (project-current))
        (left toolpath-ls--entries)
        (found nil))
    (while (and folders (not found) (> left 0))
      (let ((folder (pop folders)) (below nil))
        (pcase-dolist (`(,name ,is-folder . ,_)
                       (ignore-errors
                         (directory-files-and-attributes folder nil directory-files-no-dot-files-regexp t)))
          (cl-decf left)
          (cond
           ((not (eq is-folder t))
            (when (toolpath-ls--document-p name) (setq found t)))
           ((and deep (not (string-prefix-p "." name)) (not (equal name "node_modules")))
            (push (expand-file-name name folder) below))))
        (setq folders (append folders (nreverse below)))))
    found))

;;;###autoload
(define-globalized-minor-mode global-toolpath-ls-blame-mode
  toolpath-ls-blame-mode toolpath-ls--blame-here
  :group 'toolpath-ls)

;;;; Along the steps

(defun toolpath-ls--place ()
  "Where point is, as the server wants it."
  (list :textDocument (list :uri (toolpath-ls--uri buffer-file-name))
        :position (list :line (1- (line-number-at-pos nil t))
                        :character (toolpath-ls--column))))

(defun toolpath-ls--column ()
  "The column of point in UTF-16 code units."
  (cl-loop for c across (buffer-substring-no-properties (line-beginning-position) (point))
           sum (if (> c #xffff) 2 1)))

(defun toolpath-ls--run-command (command)
  "What the server's COMMAND answers for the place of point."
  (unless buffer-file-name
    (user-error "This buffer visits no file"))
  (let* ((params (list :command command :arguments (vector (toolpath-ls--place)))))
    (if (toolpath-ls--document-p)
        (jsonrpc-request (or (eglot-current-server) (user-error "Eglot does not run here; M-x eglot starts it"))
                         :workspace/executeCommand params :deferred command)
      (let ((link (toolpath-ls--link)) (answer nil))
        (toolpath-ls--ask :workspace/executeCommand params (lambda (a) (setq answer (list a))))
        (with-timeout (10 (user-error "The server does not answer"))
          (while (and (null answer) (toolpath-ls--live link))
            (accept-process-output nil 0.05)))
        (car answer)))))

(defun toolpath-ls--go (location)
  "Go to LOCATION, and let \\[xref-pop-marker-stack] lead back."
  (let ((file (or (toolpath-ls--file (plist-get location :uri)) (user-error "There is no such step")))
        (start (plist-get (plist-get location :range) :start)))
    (xref-push-marker-stack)
    (find-file file)
    (widen)
    (goto-char (point-min))
    (forward-line (plist-get start :line))
    (let ((left (plist-get start :character)))
      (while (and (> left 0) (not (eolp)))
        (cl-decf left (if (> (char-after) #xffff) 2 1))
        (forward-char)))))

(defun toolpath-ls-step ()
  "Go to the step that wrote the current line, or to the one that point is in."
  (interactive)
  (toolpath-ls--go (toolpath-ls--run-command "toolpath.step")))

(defun toolpath-ls-parent-step ()
  "Go to the parent of the step.
From a line of a source file go to the step that wrote it."
  (interactive)
  (toolpath-ls--go (toolpath-ls--run-command "toolpath.parentStep")))

(defun toolpath-ls-child-step ()
  "Go to the step that descends from this one; of several you choose."
  (interactive)
  (let ((children (append (toolpath-ls--run-command "toolpath.childSteps") nil)))
    (toolpath-ls--go
     (if (cdr children)
         (let ((names (mapcar (lambda (c)
                                (cons (format "%s:%d" (file-name-nondirectory (toolpath-ls--file (plist-get c :uri)))
                                              (1+ (plist-get (plist-get (plist-get c :range) :start) :line)))
                                      c))
                              children)))
           (cdr (assoc (completing-read "Step: " names nil t) names)))
       (car children)))))

(defun toolpath-ls-head-step ()
  "Go to the head of the path that point is in."
  (interactive)
  (toolpath-ls--go (toolpath-ls--run-command "toolpath.headStep")))

(provide 'toolpath-ls)
;;; toolpath-ls.el ends here
